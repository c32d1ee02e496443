import { inflateRawSync } from 'node:zlib';

/** A started sign-in, as the identity provider receives it. */
export interface StartedSignIn {
  /** URL of the identity provider, with the request. */
  url: URL;
  requestId: string;
  relayState: string;
  /** `Cookie` header with the cookies of the start; empty without cookies. */
  cookie: string;
}

/** Sends a GET as a browser does, without following redirects. */
export const visit = (url: string | URL, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, { redirect: 'manual', headers: { Accept: 'text/html', ...headers } });

/** Starts a sign-in at a start URL. */
export async function startSignIn(
  startURL: string,
  headers: Record<string, string> = {},
): Promise<StartedSignIn> {
  const response = await visit(startURL, headers);
  if (response.status !== 302) {
    throw new Error(`${response.status} ${await response.text()}`);
  }
  const url = new URL(response.headers.get('location') ?? '');
  const request = inflateRawSync(Buffer.from(url.searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
  const [, requestId = ''] = / ID="([^"]+)"/.exec(request) ?? [];
  return {
    url,
    requestId,
    relayState: url.searchParams.get('RelayState') ?? '',
    cookie: cookiesOf(response),
  };
}

/** Returns the `Cookie` header with the cookies that a response sets. */
export const cookiesOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');

/** Sends a form as a browser does, without following redirects. */
export const postForm = (
  url: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { Accept: 'text/html', ...headers },
    body: new URLSearchParams(fields),
  });

/** A form with hidden fields. */
export interface HiddenForm {
  action: string;
  fields: Record<string, string>;
}

/** Reads the form of a page of the identity provider. */
function readForm(page: string): HiddenForm {
  const [, action = ''] = /<form [^>]*action="([^"]+)"/.exec(page) ?? [];
  const inputs = page.matchAll(/<input type="hidden"\s+name="([^"]+)"\s+value="([^"]*)">/g);
  return {
    action: decodeEntities(action),
    fields: Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, decodeEntities(value)])),
  };
}

const decodeEntities = (text: string): string =>
  text.replaceAll('&#34;', '"').replaceAll('&amp;', '&').replaceAll('&#43;', '+');

/**
 * Signs in at an identity provider with a start URL, as a browser does: follows the redirect, and sends the form.
 * Returns the response of this service.
 */
export async function signInAt(startURL: string, headers: Record<string, string> = {}): Promise<Response> {
  const { url } = await startSignIn(startURL, headers);
  const { action, fields } = readForm(await (await visit(url)).text());
  return await postForm(action, fields, headers);
}
