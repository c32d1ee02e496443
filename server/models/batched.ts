/**
 * Looks up together what is asked for one by one within a tick, such as by the presenters of the rows of a page.
 *
 * @param load finds the values of some keys, which may repeat
 */
export function batched<Key, Value>(
  load: (keys: Key[]) => Promise<(key: Key) => Value>,
): (key: Key) => Promise<Value> {
  let waiting: { keys: Key[]; found: Promise<(key: Key) => Value> } | undefined;
  return async (key) => {
    if (!waiting) {
      const keys: Key[] = [];
      const found = Promise.resolve().then(() => {
        waiting = undefined;
        return load(keys);
      });
      waiting = { keys, found };
    }
    waiting.keys.push(key);
    return (await waiting.found)(key);
  };
}
