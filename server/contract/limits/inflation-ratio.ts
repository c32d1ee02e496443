/** Maximum compression ratio of data larger than {@link FREE_INFLATION_BYTES}, wherever the server decompresses it. */
export const MAX_INFLATION_RATIO = 100;

/** Maximum decompressed size for allowing any compression ratio. */
export const FREE_INFLATION_BYTES = 1_048_576;

/** Returns the maximum decompressed size for an amount of compressed data. */
export const maxInflatedBytes = (compressedBytes: number, maxRatio = MAX_INFLATION_RATIO): number =>
  Math.max(FREE_INFLATION_BYTES, compressedBytes * maxRatio);
