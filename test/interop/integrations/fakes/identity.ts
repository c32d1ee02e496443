/** A fake identity provider of any host, which returns tokens for the code of a person who agreed. */
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { PROVIDER_KEY } from '../../../support/saml/keys.ts';
import type { FakeReply, FakeRequest } from './services.ts';

const KEY = createPrivateKey(PROVIDER_KEY.key);
const KEY_ID = 'interop';

/** Claims of the person who agreed, in ID tokens and user information. */
export const CLAIMS = { sub: 'interop|1', email: 'ada@example.com', name: 'Ada', groups: ['writers'] };

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs an ID token of a provider. */
export function idToken(issuer: string, audience: string): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { ...CLAIMS, iss: issuer, aud: audience, iat: now, exp: now + 3600 };
  const signed = `${encode({ alg: 'RS256', typ: 'JWT', kid: KEY_ID })}.${encode(claims)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), KEY).toString('base64url')}`;
}

/** Replies to the requests of OAuth 2.0 and OpenID Connect: discovery, keys, tokens and user information. */
export function replyOfProvider({ method, url, body }: Omit<FakeRequest, 'isKnown'>): FakeReply | undefined {
  const issuer = url.origin;
  const path = url.pathname.replace(/\/$/, '');
  if (path.includes('/.well-known/')) {
    return {
      json: {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/oauth/token`,
        jwks_uri: `${issuer}/jwks`,
        userinfo_endpoint: `${issuer}/userinfo`,
        end_session_endpoint: `${issuer}/logout`,
      },
    };
  }
  if (path.endsWith('/jwks')) {
    const key = createPublicKey(KEY).export({ format: 'jwk' });
    return { json: { keys: [{ ...key, kid: KEY_ID, alg: 'RS256', use: 'sig' }] } };
  }
  if (path.endsWith('/userinfo')) {
    return { json: CLAIMS };
  }
  if (method === 'POST' && /token|access/.test(path)) {
    const parameters = parametersOf(body);
    const isAccepted = parameters.get('code') === 'interop-code' || parameters.has('refresh_token');
    return isAccepted
      ? {
          json: {
            ok: true,
            // Some providers return claims in access tokens.
            access_token: idToken(issuer, parameters.get('client_id') ?? ''),
            refresh_token: 'interop-refresh-token',
            id_token: idToken(issuer, parameters.get('client_id') ?? ''),
            token_type: 'Bearer',
            expires_in: 3600,
            scope: 'interop',
            ...TEAM,
          },
        }
      : { status: 400, json: { error: 'invalid_grant' } };
  }
  return undefined;
}

/** What services for teams add to tokens. */
const TEAM = {
  team: { id: 'T1', name: 'Interop' },
  guild: { id: '1', system_channel_id: '2', name: 'Interop' },
  authed_user: { id: 'U1' },
};

/** Parameters of a form or of JSON. */
function parametersOf(body: string): URLSearchParams {
  try {
    return new URLSearchParams(JSON.parse(body));
  } catch {
    return new URLSearchParams(body);
  }
}
