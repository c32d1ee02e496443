import type { Requirement, SecurityScheme } from '../../model/contract/contract.ts';
import type { WireRequest } from './exchange.ts';

/** Tokens of the callers. For a `basic` scheme a token is `user:password`. */
export interface Tokens {
  own?: string;
  second?: string;
}

/** Credential of a request and its location. */
export interface Credential {
  in: 'header' | 'query' | 'cookie';
  name: string;
  /** Before the token: `Bearer `. */
  prefix: string;
  /** The token of a caller, an invented token of the same form, or a literal text. */
  token: 'own' | 'second' | 'unknown' | { text: string };
  /** Basic credentials go in base64. */
  base64: boolean;
}

/** End of an invented token, valid in both hexadecimal and base64. */
export const UNKNOWN_END = '0badc0de';

/**
 * Creates an invented token of the same form by replacing its last eight characters, so that its prefix, and all but
 * the signature of a JSON Web Token, are valid.
 */
const unknownToken = (validToken = ''): string =>
  validToken.slice(0, validToken.length >= 8 ? -8 : undefined) + UNKNOWN_END;

/** Returns whether requests without a token must be rejected. */
export const isSecured = (security: readonly Requirement[]): boolean =>
  security.length > 0 && security.every((requirement) => requirement.length > 0);

/** Returns the schemes that requests satisfy: the first supported alternative. */
export const satisfiedSchemes = (security: readonly Requirement[]): Requirement =>
  security.find((schemes) => schemes.length > 0 && schemes.every(({ kind }) => kind !== 'unsupported')) ?? [];

/** Returns the credentials of a request. */
export function credentialsOf(request: WireRequest): Credential[] {
  const { caller, security = [] } = request;
  if (caller === 'anonymous') {
    return [];
  }
  return satisfiedSchemes(security).map((scheme) => {
    if (caller !== 'malformed') {
      return credential(scheme, caller);
    }
    const variants = malformed(scheme);
    return variants[(request.malformed ?? 0) % variants.length] ?? credential(scheme, 'unknown');
  });
}

/** Adds the caller's token, if any, to the target or headers of a request. */
export function withCredentials(
  request: WireRequest,
  tokens: Tokens,
): Pick<WireRequest, 'target' | 'headers'> {
  let { target } = request;
  const headers = [...request.headers];
  for (const credential of credentialsOf(request)) {
    const text = credentialText(credential, tokens);
    if (text === undefined) {
      continue;
    }
    if (credential.in === 'header') {
      headers.push([credential.name, text]);
    } else if (credential.in === 'query') {
      const pair = `${encodeURIComponent(credential.name)}=${encodeURIComponent(text)}`;
      target += `${target.includes('?') ? '&' : '?'}${pair}`;
    } else {
      const index = headers.findIndex(([name]) => name.toLowerCase() === 'cookie');
      const [before] = index < 0 ? [] : headers.splice(index, 1);
      headers.push(['Cookie', [...(before ? [before[1]] : []), `${credential.name}=${text}`].join('; ')]);
    }
  }
  return { target, headers };
}

function credentialText({ prefix, token, base64 }: Credential, tokens: Tokens): string | undefined {
  const text =
    typeof token === 'object' ? token.text : token === 'unknown' ? unknownToken(tokens.own) : tokens[token];
  if (text === undefined) {
    return undefined;
  }
  return prefix + (base64 ? Buffer.from(text).toString('base64') : text);
}

function credential(scheme: SecurityScheme, token: Credential['token']): Credential {
  const name = scheme.parameter ?? 'Authorization';
  switch (scheme.kind) {
    case 'basic':
      return { in: 'header', name, prefix: 'Basic ', token, base64: true };
    case 'header':
    case 'query':
    case 'cookie':
      return { in: scheme.kind, name, prefix: '', token, base64: false };
    default:
      return { in: 'header', name, prefix: 'Bearer ', token, base64: false };
  }
}

/** Creates malformed credentials, and credentials of another scheme. */
function malformed(scheme: SecurityScheme): Credential[] {
  const base = credential(scheme, { text: '' });
  const texts: Record<string, string[]> = {
    bearer: [
      'Bearer',
      'Bearer not a token',
      'Bearer {}[]',
      'Basic bm9ib2R5Om5vdGhpbmc=',
      'Negotiate',
      UNKNOWN_END,
    ],
    basic: ['Basic', 'Basic ???', 'Basic bm9jb2xvbg==', `Bearer ${UNKNOWN_END}`, UNKNOWN_END],
  };
  const broken = texts[scheme.kind] ?? ['', 'not a token', '{}[]'];
  return broken.map((text) => ({ ...base, prefix: '', token: { text }, base64: false }));
}
