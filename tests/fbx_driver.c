// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// fbx_driver FILE...: each file through the child process, as the command does it, and nothing else. Prints a code and
// a size a file; the sentences go to standard error.

#include "../cli/child.h"

#include <stdlib.h>

int main(int argc, char** argv)
{
    for (int i = 1; i < argc; ++i)
    {
        void* bytes = NULL;
        size_t size = 0;
        const int code = cli_fbx_to_glb(argv[i], &bytes, &size);
        printf("%d %zu\n", code, size);
        free(bytes);
    }
    return 0;
}
