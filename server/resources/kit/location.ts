const LOCATION = Symbol('location');

/**
 * An answer that says nothing of where what it created is, with that for the `Location` header; nobody sees it in
 * the body.
 */
export function located<Body extends object>(body: Body, location: string): Body {
  return Object.defineProperty(body, LOCATION, { value: location });
}

/** The URL of the created resource: as set by {@link located}, else its own `urls.location`. */
export function locationOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const urls = 'urls' in body ? body.urls : undefined;
  const own = typeof urls === 'object' && urls !== null && 'location' in urls ? urls.location : undefined;
  const location = LOCATION in body ? body[LOCATION] : own;
  return typeof location === 'string' ? location : undefined;
}
