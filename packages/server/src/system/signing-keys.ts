// The files of signing keys, without the rest of the server, so that commands about them start quickly.

export {
  prepareNextKey,
  retireSigningKey,
  revokeSigningKey,
  rotateSigningKey,
} from "./change-keys.ts";
export { listKeyFiles, readKeyFolder, type StoredKey } from "./key-folder.ts";
export { createFileSigner, type FileSigner } from "./signer.ts";
