// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/**
 * What the command asks of a system, in memory: files, standard streams and arguments by the names of WASI preview 1.
 * Nothing reaches the machine the page runs on: no clock, no random numbers, no folder but the one given here. The same
 * module serves browsers and Node.
 *
 * Semantics follow the WASI witx documents. Files keep their bytes when renamed; links, times and rights do not exist.
 */

const ERRNO = Object.freeze({
  SUCCESS: 0,
  BADF: 8,
  EXIST: 20,
  INVAL: 28,
  ISDIR: 31,
  NAMETOOLONG: 37,
  NOENT: 44,
  NOSYS: 52,
  NOTDIR: 54,
  NOTEMPTY: 55,
  SPIPE: 70,
});
const FILE_TYPE = Object.freeze({ UNKNOWN: 0, DIRECTORY: 3, REGULAR: 4 });
const OPEN = Object.freeze({ CREATE: 1, DIRECTORY: 2, EXCLUSIVE: 4, TRUNCATE: 8 });
const FD_APPEND = 1;
const RIGHT_FD_READ = 2n;
const RIGHT_FD_WRITE = 64n;
const WHENCE = Object.freeze({ SET: 0, CURRENT: 1, END: 2 });
const ROOT_FD = 3;
const PATH_MOST = 4096;

/** The program ended itself by exit(). */
export class Exit extends Error {
  constructor(code) {
    super(`exit ${code}`);
    this.code = code;
  }
}

/** Bytes that grow at the end; room doubles, so that many small writes cost no more than few large ones. */
class Growing {
  constructor(bytes = new Uint8Array(0)) {
    this.room = bytes;
    this.size = bytes.length;
    this.shared = true; // the caller's bytes are copied before the first write
  }

  write(at, bytes) {
    const end = at + bytes.length;
    if (end > this.room.length || this.shared) {
      const larger = new Uint8Array(Math.max(end, this.size, end > this.room.length ? 2 * this.room.length : 0));
      larger.set(this.room.subarray(0, this.size));
      this.room = larger;
      this.shared = false;
    }
    this.room.set(bytes, at);
    this.size = Math.max(this.size, end);
  }

  truncate() {
    this.room = new Uint8Array(0);
    this.size = 0;
  }

  bytes() {
    return this.room.subarray(0, this.size);
  }
}

/** Absolute form of a path below the root: no `.`, no `..` beyond it, no empty parts. Null: it leaves the root. */
export function resolvePath(path) {
  const parts = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return `/${parts.join("/")}`;
}

/** Folders and files of one run. */
export class MemoryFiles {
  /** @param {Record<string, Uint8Array>} files by path; folders come of themselves. The bytes are not written to. */
  constructor(files = {}) {
    this.folders = new Set(["/"]);
    this.files = new Map();
    for (const [path, bytes] of Object.entries(files)) {
      const absolute = resolvePath(path);
      if (absolute === null || absolute === "/") throw new RangeError(`${path}: no place for a file`);
      for (let at = absolute.indexOf("/", 1); at > 0; at = absolute.indexOf("/", at + 1))
        this.folders.add(absolute.slice(0, at));
      this.files.set(absolute, new Growing(bytes));
    }
    for (const folder of this.folders)
      if (this.files.has(folder)) throw new RangeError(`${folder}: a file and a folder`);
  }

  parentExists(absolute) {
    return this.folders.has(absolute.slice(0, absolute.lastIndexOf("/")) || "/");
  }

  /** @returns {Record<string, Uint8Array>} every file by path without the leading slash */
  all() {
    return Object.fromEntries([...this.files].map(([path, file]) => [path.slice(1), file.bytes()]));
  }
}

/** One run's imports. `memory` is set once the instance exists. */
export class Wasi {
  /**
   * @param {object} options
   * @param {string[]} options.args the first is the program's name
   * @param {MemoryFiles} options.files
   * @param {Uint8Array} [options.input] standard input
   * @param {(bytes: Uint8Array) => void} [options.onError] called with each piece of standard error as it comes
   */
  constructor({ args, files, input = new Uint8Array(0), onError }) {
    const encoder = new TextEncoder();
    this.args = args.map((argument) => encoder.encode(`${argument}\0`));
    this.files = files;
    this.onError = onError;
    this.memory = null;
    this.output = new Growing();
    this.errors = new Growing();
    this.open = [
      { stream: true, file: new Growing(input), at: 0, readable: true },
      { stream: true, file: this.output, at: 0, writable: true },
      { stream: true, file: this.errors, at: 0, writable: true },
      { folder: "/" },
    ];
  }

  get imports() {
    const names = Object.getOwnPropertyNames(Wasi.prototype).filter((name) => /^[a-z]+(_[a-z]+)+$/.test(name));
    return { wasi_snapshot_preview1: Object.fromEntries(names.map((name) => [name, this[name].bind(this)])) };
  }

  // ---- memory of the program; views are remade since memory may have grown ----

  view() {
    return new DataView(this.memory.buffer);
  }

  bytesAt(pointer, size) {
    return new Uint8Array(this.memory.buffer, pointer >>> 0, size >>> 0);
  }

  pathAt(folderFd, pointer, size) {
    const folder = this.open[folderFd]?.folder;
    if (folder === undefined) return { errno: ERRNO.BADF };
    if (size > PATH_MOST) return { errno: ERRNO.NAMETOOLONG };
    const text = new TextDecoder().decode(this.bytesAt(pointer, size));
    const path = resolvePath(`${folder}/${text}`);
    return path === null ? { errno: ERRNO.NOENT } : { errno: ERRNO.SUCCESS, path };
  }

  /** Calls `each` with every piece of an array of (pointer, size). */
  pieces(pointer, count, each) {
    for (let i = 0; i < count; ++i) {
      const view = this.view();
      const at = (pointer >>> 0) + 8 * i;
      if (each(this.bytesAt(view.getUint32(at, true), view.getUint32(at + 4, true))) === false) break;
    }
  }

  // ---- arguments, environment, end ----

  args_sizes_get(count, size) {
    this.view().setUint32(count, this.args.length, true);
    this.view().setUint32(size, this.args.reduce((sum, argument) => sum + argument.length, 0), true);
    return ERRNO.SUCCESS;
  }

  args_get(pointers, bytes) {
    let at = bytes;
    this.args.forEach((argument, i) => {
      this.view().setUint32(pointers + 4 * i, at, true);
      this.bytesAt(at, argument.length).set(argument);
      at += argument.length;
    });
    return ERRNO.SUCCESS;
  }

  environ_sizes_get(count, size) {
    this.view().setUint32(count, 0, true);
    this.view().setUint32(size, 0, true);
    return ERRNO.SUCCESS;
  }

  environ_get() {
    return ERRNO.SUCCESS;
  }

  proc_exit(code) {
    throw new Exit(code);
  }

  // ---- what is open ----

  fd_close(fd) {
    if (this.open[fd] === undefined) return ERRNO.BADF;
    if (fd > ROOT_FD) this.open[fd] = undefined;
    return ERRNO.SUCCESS;
  }

  fd_sync(fd) {
    return this.open[fd] === undefined ? ERRNO.BADF : ERRNO.SUCCESS;
  }

  fd_fdstat_get(fd, out) {
    const entry = this.open[fd];
    if (entry === undefined) return ERRNO.BADF;
    const view = this.view();
    view.setUint8(out, entry.folder !== undefined ? FILE_TYPE.DIRECTORY : entry.stream ? FILE_TYPE.UNKNOWN : FILE_TYPE.REGULAR);
    view.setUint16(out + 2, entry.append ? FD_APPEND : 0, true);
    // Everything is allowed; what makes no sense fails where it is asked for.
    view.setBigUint64(out + 8, 0x1fffffffn, true);
    view.setBigUint64(out + 16, 0x1fffffffn, true);
    return ERRNO.SUCCESS;
  }

  fd_fdstat_set_flags(fd, flags) {
    if (this.open[fd] === undefined) return ERRNO.BADF;
    this.open[fd].append = (flags & FD_APPEND) !== 0;
    return ERRNO.SUCCESS;
  }

  fd_prestat_get(fd, out) {
    if (fd !== ROOT_FD) return ERRNO.BADF;
    this.view().setUint32(out, 0, true);
    this.view().setUint32(out + 4, 1, true);
    return ERRNO.SUCCESS;
  }

  fd_prestat_dir_name(fd, pointer, size) {
    if (fd !== ROOT_FD) return ERRNO.BADF;
    if (size < 1) return ERRNO.NAMETOOLONG;
    this.bytesAt(pointer, 1)[0] = "/".charCodeAt(0);
    return ERRNO.SUCCESS;
  }

  fd_read(fd, pieces, count, out) {
    const entry = this.open[fd];
    if (entry?.folder !== undefined) return ERRNO.ISDIR;
    if (!entry?.readable) return ERRNO.BADF;
    let read = 0;
    this.pieces(pieces, count, (room) => {
      const got = entry.file.bytes().subarray(entry.at, entry.at + room.length);
      room.set(got);
      entry.at += got.length;
      read += got.length;
      return got.length === room.length;
    });
    this.view().setUint32(out, read, true);
    return ERRNO.SUCCESS;
  }

  fd_write(fd, pieces, count, out) {
    const entry = this.open[fd];
    if (!entry?.writable) return ERRNO.BADF;
    let written = 0;
    this.pieces(pieces, count, (bytes) => {
      if (entry.append || entry.stream) entry.at = entry.file.size;
      entry.file.write(entry.at, bytes);
      entry.at += bytes.length;
      written += bytes.length;
      if (fd === 2 && bytes.length > 0) this.onError?.(bytes.slice());
    });
    this.view().setUint32(out, written, true);
    return ERRNO.SUCCESS;
  }

  fd_seek(fd, offset, whence, out) {
    const entry = this.open[fd];
    if (entry === undefined) return ERRNO.BADF;
    if (entry.file === undefined || entry.stream) return ERRNO.SPIPE;
    const base = { [WHENCE.SET]: 0, [WHENCE.CURRENT]: entry.at, [WHENCE.END]: entry.file.size }[whence];
    if (base === undefined) return ERRNO.INVAL;
    const at = base + Number(offset);
    if (at < 0 || !Number.isSafeInteger(at)) return ERRNO.INVAL;
    entry.at = at;
    this.view().setBigUint64(out, BigInt(at), true);
    return ERRNO.SUCCESS;
  }

  fd_filestat_get(fd, out) {
    const entry = this.open[fd];
    if (entry === undefined) return ERRNO.BADF;
    if (entry.folder !== undefined) this.writeStat(out, FILE_TYPE.DIRECTORY, 0);
    else this.writeStat(out, entry.stream ? FILE_TYPE.UNKNOWN : FILE_TYPE.REGULAR, entry.file.size);
    return ERRNO.SUCCESS;
  }

  writeStat(out, type, size) {
    this.bytesAt(out, 64).fill(0);
    this.view().setUint8(out + 16, type);
    this.view().setBigUint64(out + 24, 1n, true);
    this.view().setBigUint64(out + 32, BigInt(size), true);
  }

  // ---- paths ----

  path_filestat_get(folderFd, flags, pointer, size, out) {
    const { errno, path } = this.pathAt(folderFd, pointer, size);
    if (errno !== ERRNO.SUCCESS) return errno;
    const file = this.files.files.get(path);
    if (file !== undefined) this.writeStat(out, FILE_TYPE.REGULAR, file.size);
    else if (this.files.folders.has(path)) this.writeStat(out, FILE_TYPE.DIRECTORY, 0);
    else return ERRNO.NOENT;
    return ERRNO.SUCCESS;
  }

  path_create_directory(folderFd, pointer, size) {
    const { errno, path } = this.pathAt(folderFd, pointer, size);
    if (errno !== ERRNO.SUCCESS) return errno;
    if (this.files.folders.has(path) || this.files.files.has(path)) return ERRNO.EXIST;
    if (!this.files.parentExists(path)) return ERRNO.NOENT;
    this.files.folders.add(path);
    return ERRNO.SUCCESS;
  }

  path_open(folderFd, lookup, pointer, size, how, rights, inheriting, flags, out) {
    const { errno, path } = this.pathAt(folderFd, pointer, size);
    if (errno !== ERRNO.SUCCESS) return errno;
    const writable = (rights & RIGHT_FD_WRITE) !== 0n;
    let entry = null;
    if (this.files.folders.has(path)) {
      if (writable || (how & OPEN.CREATE) !== 0) return ERRNO.ISDIR;
      entry = { folder: path };
    } else {
      let file = this.files.files.get(path);
      if ((how & OPEN.DIRECTORY) !== 0) return file === undefined ? ERRNO.NOENT : ERRNO.NOTDIR;
      if (file !== undefined && (how & OPEN.EXCLUSIVE) !== 0) return ERRNO.EXIST;
      if (file === undefined) {
        if ((how & OPEN.CREATE) === 0 || !this.files.parentExists(path)) return ERRNO.NOENT;
        file = new Growing();
        this.files.files.set(path, file);
      }
      if ((how & OPEN.TRUNCATE) !== 0) file.truncate();
      entry = { file, at: 0, readable: (rights & RIGHT_FD_READ) !== 0n, writable, append: (flags & FD_APPEND) !== 0 };
    }
    let fd = ROOT_FD + 1;
    while (this.open[fd] !== undefined) ++fd;
    this.open[fd] = entry;
    this.view().setUint32(out, fd, true);
    return ERRNO.SUCCESS;
  }

  path_rename(fromFd, fromPointer, fromSize, toFd, toPointer, toSize) {
    const from = this.pathAt(fromFd, fromPointer, fromSize);
    const to = this.pathAt(toFd, toPointer, toSize);
    if (from.errno !== ERRNO.SUCCESS) return from.errno;
    if (to.errno !== ERRNO.SUCCESS) return to.errno;
    const file = this.files.files.get(from.path);
    // The command renames files only.
    if (file === undefined) return this.files.folders.has(from.path) ? ERRNO.NOSYS : ERRNO.NOENT;
    if (this.files.folders.has(to.path)) return ERRNO.ISDIR;
    if (!this.files.parentExists(to.path)) return ERRNO.NOENT;
    this.files.files.delete(from.path);
    this.files.files.set(to.path, file);
    return ERRNO.SUCCESS;
  }

  path_unlink_file(folderFd, pointer, size) {
    const { errno, path } = this.pathAt(folderFd, pointer, size);
    if (errno !== ERRNO.SUCCESS) return errno;
    if (this.files.folders.has(path)) return ERRNO.ISDIR;
    return this.files.files.delete(path) ? ERRNO.SUCCESS : ERRNO.NOENT;
  }
}
