// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// surefoot-view: which files the studio and its clips are (files.c), and giving them to a browser on this machine
// (serve.c). What is given is listed before anything listens, so that no request can name another file.
#ifndef SUREFOOT_VIEW_H
#define SUREFOOT_VIEW_H

#include "../cli.h"

typedef struct view_file
{
    char* address; // below the token: "app.js", "files/0/walk.bvh"
    char* path;
} view_file;

typedef struct view_files
{
    view_file* files;
    size_t count, capacity;
} view_files;

void view_free(view_files* files);
// Null where it is not listed.
const view_file* view_find(const view_files* files, const char* address);
const char* view_content_type(const char* address);
// The studio's folder: `given`, or null: beside the running program, or where `make install` puts it. To be released
// with free.
int view_find_studio(const char* given, char** folder);
// Lists the studio's files.
int view_add_studio(view_files* files, const char* folder);
// Lists a file of the command line as files/NUMBER/NAME, and what a glTF names beside it.
int view_add_clip(view_files* files, const char* path, int number);
// Puts text into an address: letters, digits and "-._~" stay.
void view_put_encoded(cli_text* out, const char* text);

#define VIEW_TOKEN_SIZE 33 // 128 bits in hexadecimal, and the zero

typedef struct view_server view_server;
// Listens on 127.0.0.1, at `port` or (0) one that is free. EXIT_DONE, or an exit code, which was told.
int view_start(const view_files* files, int port, view_server** out);
int view_port(const view_server* server);
const char* view_token(const view_server* server);
// Waits until the user or the system asks for the end, then closes everything.
void view_serve(view_server* server);
void view_stop(view_server* server);
// Opens the address in the user's browser where there is one; false where there is none.
bool view_open_browser(const char* address);

#endif
