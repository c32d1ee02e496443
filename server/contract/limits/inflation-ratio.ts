/** Maximum compression ratio of data larger than {@link FREE_INFLATION_BYTES}, wherever the server decompresses it. */
export const MAX_INFLATION_RATIO = 100;

/** Decompressed size up to which any compression ratio is allowed. */
export const FREE_INFLATION_BYTES = 1_048_576;

/** Returns the size up to which an amount of compressed data may be decompressed. */
export const maxInflatedBytes = (compressedBytes: number, maxRatio = MAX_INFLATION_RATIO): number =>
  Math.max(FREE_INFLATION_BYTES, compressedBytes * maxRatio);
