/* Stands in for libggml-cuda.so where it was not compiled: llama.cpp loads it as it loads CUDA's, and it finds
 * no card. The layout is that of ggml_backend_reg, version 2 of its interface. */
#include <stddef.h>

struct reg {
    int api_version;
    const char *(*get_name)(struct reg *);
    size_t (*get_device_count)(struct reg *);
    void *(*get_device)(struct reg *, size_t);
    void *(*get_proc_address)(struct reg *, const char *);
    void *context;
};

static const char *name(struct reg *reg) { (void)reg; return "CUDA"; }
static size_t count(struct reg *reg) { (void)reg; return 0; }
static void *device(struct reg *reg, size_t index) { (void)reg; (void)index; return NULL; }
static void *address(struct reg *reg, const char *what) { (void)reg; (void)what; return NULL; }

static struct reg stand_in = {2, name, count, device, address, NULL};

struct reg *ggml_backend_init(void) { return &stand_in; }
