// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

/** Files by address: a motion file, and of a glTF what it names beside it. */

async function bytesOf(url, words) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${words}: the server says ${response.status} ${response.statusText}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Addresses in a glTF text that are files; none where it is no glTF, which the command says better. */
function partsOf(bytes) {
  try {
    const { buffers = [], images = [] } = JSON.parse(new TextDecoder().decode(bytes));
    return [...new Set([...buffers, ...images].map(({ uri }) => uri))].filter((uri) => uri !== undefined && !/^[a-z][a-z+.-]*:/i.test(uri));
  } catch {
    return [];
  }
}

/**
 * @param {string} address of the page's own, or whole
 * @returns {Promise<Record<string, Uint8Array>>} by the names that the command will know them by
 */
export async function fetchFiles(address) {
  const url = new URL(address, location.href);
  const name = decodeURIComponent(url.pathname.split("/").at(-1));
  const bytes = await bytesOf(url, address);
  const files = { [name]: bytes };
  if (!/\.gltf$/i.test(name)) return files;
  for (const uri of partsOf(bytes)) {
    // A picture that is not there is drawn without; the command says which buffer it misses.
    const part = await bytesOf(new URL(uri, url), uri).catch(() => undefined);
    if (part !== undefined) files[decodeURIComponent(uri)] = part;
  }
  return files;
}
