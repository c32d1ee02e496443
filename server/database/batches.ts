/**
 * Divides values into arrays of limited size, such as for statements: engines limit how many values one binds.
 *
 * @param size maximum number of values in an array
 */
export function* batches<Value>(values: Iterable<Value>, size: number): Generator<Value[]> {
  const all = [...values];
  for (let start = 0; start < all.length; start += size) {
    yield all.slice(start, start + size);
  }
}
