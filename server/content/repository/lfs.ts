// Pointers of Git LFS, which a repository contains in place of files.

const POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\noid sha256:[0-9a-f]{64}\n/;
/** Sizes of pointers without extensions: only such files are read in search of pointers. */
const MIN_POINTER_BYTES = 120;
const MAX_POINTER_BYTES = 160;

/** Whether a file is small enough to be a pointer. */
export const mayBePointer = ({ size }: { size: number }): boolean =>
  size >= MIN_POINTER_BYTES && size <= MAX_POINTER_BYTES;

/** Whether a file is a pointer. */
export const isPointer = (content: Uint8Array): boolean =>
  mayBePointer({ size: content.byteLength }) && POINTER.test(Buffer.from(content).toString('latin1'));

/** Describes the problem of a pointer for the author. */
export const POINTER_MESSAGE =
  'The file is stored with Git LFS, which is not supported: its pointer was imported instead of its content. Store ' +
  'the file in Git (git lfs migrate export --include=<path>), and import again.';
