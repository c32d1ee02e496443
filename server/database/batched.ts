/**
 * Combines the lookups of a tick into one, such as those for the rows of a list page.
 *
 * @param load finds the values of some keys, which may contain duplicates
 */
export function batched<Key, Value>(
  load: (keys: Key[]) => Promise<(key: Key) => Value>,
): (key: Key) => Promise<Value> {
  let pending: { keys: Key[]; lookup: Promise<(key: Key) => Value> } | undefined;
  return async (key) => {
    if (!pending) {
      const keys: Key[] = [];
      const lookup = Promise.resolve().then(() => {
        pending = undefined;
        return load(keys);
      });
      pending = { keys, lookup };
    }
    pending.keys.push(key);
    return (await pending.lookup)(key);
  };
}
