/* Stands in for a back end for graphics cards where it was not compiled: llama.cpp loads it as it loads CUDA's,
 * and it finds CARDS cards, on which nothing can be computed. The layout is that of ggml_backend_reg and
 * ggml_backend_device, version 2 of their interface. */
#include <stddef.h>

#ifndef NAME
#define NAME "CUDA"
#define CARDS 0
#endif
#define GPU 1

struct device {
    const char *(*get_name)(struct device *);
    const char *(*get_description)(struct device *);
    void (*get_memory)(struct device *, size_t *, size_t *);
    int (*get_type)(struct device *);
    void *never_called[12];
    void *reg;
    void *context;
};

struct reg {
    int api_version;
    const char *(*get_name)(struct reg *);
    size_t (*get_device_count)(struct reg *);
    struct device *(*get_device)(struct reg *, size_t);
    void *(*get_proc_address)(struct reg *, const char *);
    void *context;
};

static const char *device_name(struct device *device) { (void)device; return NAME "0"; }
static void memory(struct device *device, size_t *free, size_t *total) { (void)device; *free = *total = 0; }
static int type(struct device *device) { (void)device; return GPU; }

static struct device card = {device_name, device_name, memory, type, {NULL}, NULL, NULL};

static const char *name(struct reg *reg) { (void)reg; return NAME; }
static size_t count(struct reg *reg) { (void)reg; return CARDS; }
static struct device *get(struct reg *reg, size_t index) { (void)reg; (void)index; return &card; }
static void *address(struct reg *reg, const char *what) { (void)reg; (void)what; return NULL; }

static struct reg stand_in = {2, name, count, get, address, NULL};

struct reg *ggml_backend_init(void) { card.reg = &stand_in; return &stand_in; }
