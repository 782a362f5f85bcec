#!/bin/sh
# What the Vulkan back end is compiled with, on Debian 12, whose own headers and compiler of shaders are too old:
# Debian 13's, unpacked and not installed, so that the library asks for no newer C library than Debian 12's.
#
#   packaging/vulkan_sdk.sh FOLDER
#   VULKAN_SDK=FOLDER python3 dev.py package vulkan
set -eu
[ $# = 1 ] || { echo "usage: packaging/vulkan_sdk.sh FOLDER" >&2; exit 2; }
mkdir -p "$1/apt/lists/partial" "$1/apt/archives/partial" "$1/debs" "$1/bin" "$1/lib"
cd "$1"
sdk=$PWD
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' | head -n 1)
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" > apt/sources.list
apt() {
    apt-get -q -o Dir::Etc::SourceList="$sdk/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State::Lists="$sdk/apt/lists" -o Dir::Cache="$sdk/apt" -o APT::Sandbox::User=root "$@"
}
apt update
(cd debs && apt download libvulkan-dev libvulkan1 spirv-headers glslc libshaderc1 libc6 libgcc-s1 libstdc++6)
for package in debs/*.deb; do
    dpkg -x "$package" debian13
done
ln -sfn debian13/usr/include include
ln -sfn debian13/usr/share share
libraries=$(echo "$sdk"/debian13/usr/lib/*-linux-gnu)
ln -sf "$libraries/libvulkan.so" lib/libvulkan.so
# It runs with the C library that it was built for.
printf '#!/bin/sh\nexec %s --library-path %s %s "$@"\n' \
    "$libraries"/ld-linux-*.so.* "$libraries" "$sdk/debian13/usr/bin/glslc" > bin/glslc
chmod 755 bin/glslc
bin/glslc --version
