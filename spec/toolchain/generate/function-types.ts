import { capitalize } from '../names.ts';
/** Locations of parameters that a client sends. Browsers ignore the cookies, and send their own. */
export const LOCATIONS = ['path', 'query', 'header', 'cookie'] as const;
export type Location = (typeof LOCATIONS)[number];

const CALLER = `/** Client of the toolkit, as returned by \`createClient\`. */
export interface Caller {
  /** Calls an operation, and returns the body of its success response. */
  call<Data>(
    method: string,
    path: string,
    input: object,
    options?: CallOptions,
    format?: CallFormat,
  ): Promise<Data>;
}

/** Differences of an operation from one with parameters by name and JSON bodies: see the client. */
export interface CallFormat {
  nested?: readonly ('path' | 'query' | 'header' | 'cookie')[] | undefined;
  contentType?: string | undefined;
  parseAs?: 'json' | 'text' | 'blob' | 'arrayBuffer' | 'stream' | 'auto' | undefined;
  idempotent?: boolean | undefined;
  styles?: { readonly [location: string]: Styles | undefined } | undefined;
  pages?: object | undefined;
}

/** How parameters of a location are written, by name. */
export type Styles = Readonly<Record<string, string | readonly (string | undefined)[] | undefined>>;

/** Options of a call. */
export interface CallOptions {
  /** Aborts the call: its attempts, the waits between them, and reading of the response. */
  signal?: AbortSignal | undefined;
  /** Headers of this call. They override those of the client. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Timeout of each attempt in milliseconds. Overrides that of the client. */
  timeout?: number | undefined;
  /** Maximum number of retries, or detailed options. Overrides those of the client. */
  retries?: number | RetryOptions | undefined;
}

/** Options of retries: see the client. */
export interface RetryOptions {
  limit?: number | undefined;
  delay?: number | undefined;
  maxDelay?: number | undefined;
  maxRetryAfter?: number | undefined;
}
`;

const ALLOW_UNDEFINED = `/** Allows \`undefined\` for optional properties, so that an unset filter can be passed. */
type AllowUndefined<T> = {
  [K in keyof T]: Record<never, never> extends Pick<T, K> ? T[K] | undefined : T[K];
};
`;

/** Types that only some contracts need, by name. */
const OPTIONAL_TYPES = {
  KeyOptional: `/** Headers of an operation, of which the client can generate the idempotency key. */
type KeyOptional<T, Key extends keyof T> = Omit<T, Key> & { [K in Key]?: T[K] | undefined };
`,
  BinaryBody: `/** Body that is sent unchanged. A stream is sent only once, so such a call is not retried. */
export type BinaryBody =
  | Blob
  | ArrayBuffer
  | Extract<ConstructorParameters<typeof Response>[0], ArrayBufferView>
  | ReadableStream<Uint8Array>;
`,
  Parsed: `/** Bodies of responses that are not JSON, by the option \`parseAs\`. */
export interface Parsed {
  text: string;
  blob: Blob;
  arrayBuffer: ArrayBuffer;
  stream: ReadableStream<ReturnType<Uint8Array['slice']>>;
}

/** Options of a call with such a response. */
export interface ParseOptions<As> extends CallOptions {
  /** How the response is read. A stream has no timeout once it has started; only the signal ends it. */
  parseAs?: As | undefined;
}
`,
  PageResult: `/** Result of an operation that returns a page of a list, with the type of its items for \`paginate\`. */
export type PageResult<Page, Item> = Promise<Page> & { readonly '~item'?: Item };
`,
  Mixed: `/** Result of an operation whose response is JSON or of another type, which \`parseAs\` can select. */
export type Mixed<As, Json, Other> = As extends keyof Parsed ? Parsed[As] : As extends 'json' ? Json : Json | Other;
`,
};

/** Names that generated functions may not have, because the module declares or imports them. */
export const OWN_NAMES = [
  ...['CallFormat', 'CallOptions', 'Caller', 'Path', 'Query', 'Header', 'Cookie', 'ParseOptions'],
  ...['RetryOptions', 'Styles'],
  ...['operations', 'client', ...Object.keys(OPTIONAL_TYPES)],
];

/** Global types that the module uses, so that it must not import models with these names. */
const GLOBAL_TYPES = [
  ...['AbortSignal', 'ArrayBuffer', 'ArrayBufferView', 'Blob', 'FormData', 'NonNullable', 'Omit', 'Pick'],
  ...['Promise', 'ReadableStream', 'Readonly', 'Record', 'Required', 'Uint8Array', 'URLSearchParams'],
];

/** Returns the names of imported models by their exported names. They differ for names that the module has itself. */
export function importedNames(models: Iterable<string>): Map<string, string> {
  const exported = new Set(models);
  const own = new Set([...OWN_NAMES, ...GLOBAL_TYPES]);
  return new Map(
    [...exported].map((name) => {
      let imported = own.has(name) ? `${name}Model` : name;
      while (imported !== name && exported.has(imported)) {
        imported += '_';
      }
      return [name, imported];
    }),
  );
}

/** Name of the type of the parameters in a location. */
export const helperName = (location: Location): string => capitalize(location);

/**
 * Returns the types that functions need.
 * @param locations locations of parameters that they have
 * @param functions source text of the functions
 */
export function functionTypes(locations: readonly Location[], functions: string): string[] {
  const parameters = locations.map(
    (location) =>
      `type ${helperName(location)}<Id extends keyof operations> = AllowUndefined<NonNullable<(operations[Id]['parameters'] & { ${location}?: unknown })['${location}']>>;\n`,
  );
  return [
    CALLER,
    ...Object.entries(OPTIONAL_TYPES).flatMap(([name, source]) =>
      new RegExp(`\\b${name}\\b`).test(functions) ? [source] : [],
    ),
    locations.length > 0 ? ALLOW_UNDEFINED + parameters.join('') : '',
  ];
}
