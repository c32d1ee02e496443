const LOCATION = Symbol('location');

/**
 * Adds the `Location` header of a created resource to a response without its URL in the body. The added property is not
 * serialized.
 */
export function withLocation<Body extends object>(body: Body, location: string): Body {
  return Object.defineProperty(body, LOCATION, { value: location });
}

/** Returns the URL of the created resource: as set by {@link withLocation}, otherwise its own `urls.location`. */
export function locationOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) {
    return undefined;
  }
  const urls = 'urls' in body ? body.urls : undefined;
  const declared =
    typeof urls === 'object' && urls !== null && 'location' in urls ? urls.location : undefined;
  const location = LOCATION in body ? body[LOCATION] : declared;
  return typeof location === 'string' ? location : undefined;
}
