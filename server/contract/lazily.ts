/** Returns a function that creates a value on its first call. */
export function lazily<Value>(create: () => Value): () => Value {
  let cached: { value: Value } | undefined;
  return () => {
    cached ??= { value: create() };
    return cached.value;
  };
}
