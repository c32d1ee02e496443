/** Where the files of the server are stored besides its database: a bucket with the API of Amazon S3. */
export interface ObjectStorageSettings {
  bucket: string;
  /** What the keys of all objects start with: empty, or with a slash at the end. */
  prefix: string;
  /** URL of the service; undefined for Amazon S3. */
  endpoint: string | undefined;
  /** Undefined to use the one that the environment of Amazon specifies. */
  region: string | undefined;
  /** Whether the bucket is a part of the path of URLs, not of the host. */
  usesPathStyle: boolean;
  /** Whether downloads of large files are redirected to signed URLs of the storage. */
  redirectsDownloads: boolean;
  /** Whether new files are stored there. Otherwise, it is only read. */
  receivesFiles: boolean;
}

/** Region of services other than Amazon S3, most of which have none. */
const DEFAULT_REGION = 'us-east-1';

const PARAMETERS: ReadonlySet<string> = new Set([
  'endpoint',
  'region',
  'path-style',
  'downloads',
  'new-files',
]);

/** Parses a URL such as `s3://bucket/prefix?endpoint=https://s3.example.com`. Returns undefined if it is invalid. */
export function parseObjectStorageUrl(text: string): ObjectStorageSettings | undefined {
  const url = URL.parse(text);
  if (url?.protocol !== 's3:' || url.username !== '' || url.port !== '' || url.hash !== '') {
    return undefined;
  }
  const bucket = url.hostname;
  const folders = url.pathname.split('/').filter((part) => part !== '');
  const parameters = [...url.searchParams];
  const given = new Map(parameters);
  const choice = <Value>(name: string, values: Readonly<Record<string, Value>>): Value | undefined =>
    values[given.get(name) ?? ''];
  const endpoint = given.get('endpoint');
  const region = given.get('region');
  const usesPathStyle = given.has('path-style')
    ? choice('path-style', { on: true, off: false })
    : endpoint !== undefined;
  const redirectsDownloads = given.has('downloads')
    ? choice('downloads', { stream: false, redirect: true })
    : false;
  const receivesFiles = given.has('new-files') ? choice('new-files', { s3: true, database: false }) : true;
  if (
    !isBucket(bucket) ||
    !folders.every((folder) => /^[\w.-]+$/.test(folder) && !/^\.+$/.test(folder)) ||
    given.size !== parameters.length ||
    ![...given.keys()].every((name) => PARAMETERS.has(name)) ||
    (endpoint !== undefined && !isEndpoint(endpoint)) ||
    (region !== undefined && !/^[a-z0-9-]+$/.test(region)) ||
    usesPathStyle === undefined ||
    redirectsDownloads === undefined ||
    receivesFiles === undefined
  ) {
    return undefined;
  }
  return {
    bucket,
    prefix: folders.map((folder) => `${folder}/`).join(''),
    endpoint,
    region: region ?? (endpoint === undefined ? undefined : DEFAULT_REGION),
    usesPathStyle,
    redirectsDownloads,
    receivesFiles,
  };
}

/** Returns the bucket and the prefix as operators read them. */
export const describeLocation = ({ bucket, prefix }: ObjectStorageSettings): string =>
  `s3://${bucket}/${prefix}`;

/** Whether a text is a name of a bucket, without the rules that only Amazon has. */
const isBucket = (text: string): boolean =>
  text.length >= 3 && text.length <= 63 && /^[a-z0-9.-]+$/.test(text) && !/^[.-]|[.-]$/.test(text);

function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  return (
    (url?.protocol === 'https:' || url?.protocol === 'http:') &&
    url.username === '' &&
    url.password === '' &&
    url.pathname === '/' &&
    url.search === '' &&
    url.hash === ''
  );
}
