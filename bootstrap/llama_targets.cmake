# Included by CMake right after llama.cpp's own project(), where its options are decided.
# llama-cpp-python forces the library of the command-line tools on; Steward calls llama.h alone, and the
# compiler spends more than half of its time on that library.
set(LLAMA_BUILD_COMMON OFF CACHE BOOL "" FORCE)
