import { ok } from '../../../client/platform/index.ts';
import type { components } from '../../../generated/schema.d.ts';
import { findSession, SESSION_COOKIE, type Session } from '../../../server/identity/sessions.ts';
import { startTestServer, type TestServer } from '../server.ts';
import { cookiesOf, postForm, signInAt, startSignIn } from './browser.ts';
import { type IdentityProvider, startIdentityProvider } from './identity-provider.ts';
import { encode, type ResponseValues, signedResponse } from './responses.ts';

type SamlProvider = components['schemas']['SamlProvider'];

/** A sign-in of a browser. */
interface SignIn {
  response: Response;
  page: string;
  session: Session | undefined;
}

/** A server with an identity provider. */
export interface SamlServer {
  server: TestServer;
  identity: IdentityProvider;
  /** Creates an active SAML provider of the organization. */
  createProvider(body?: Partial<components['schemas']['SamlProviderCreate']>): Promise<SamlProvider>;
  /** Signs in at the identity provider with an email address. */
  signInAs(email: string, provider: SamlProvider, displayName?: string): Promise<SignIn>;
  /** Starts a sign-in, and returns a function that sends a response with some values of its own. */
  begin(
    provider: SamlProvider,
  ): Promise<(values?: Partial<ResponseValues>, to?: SamlProvider) => Promise<Response>>;
  /** Starts a sign-in, and sends a response with some values of its own. */
  answer(provider: SamlProvider, values?: Partial<ResponseValues>): Promise<Response>;
  /** Finds the session of the cookie that a response sets. */
  sessionOf(response: Response, now?: Date): Promise<Session | undefined>;
  stop(): Promise<void>;
}

/** Returns the secret in the session cookie that a response sets; empty without one. */
export const secretOf = (response: Response): string =>
  new RegExp(`${SESSION_COOKIE}=([^;]+)`).exec(cookiesOf(response))?.[1] ?? '';

/** @param environment variables of the server */
export async function startSamlServer(environment: Record<string, string> = {}): Promise<SamlServer> {
  const [server, identity] = await Promise.all([startTestServer(environment), startIdentityProvider()]);
  const sessionOf: SamlServer['sessionOf'] = (response, now = new Date()) =>
    findSession(server.database.query, secretOf(response), now);
  const begin: SamlServer['begin'] = async (provider) => {
    const { requestId, relayState } = await startSignIn(provider.service.startURL);
    return async (values = {}, { service: { acsURL, entityID: audience } } = provider) => {
      const issuer = identity.settings.entityID;
      const xml = signedResponse({ acsURL, audience, issuer, requestId, ...values });
      return await postForm(acsURL, { SAMLResponse: encode(xml), RelayState: relayState });
    };
  };
  return {
    server,
    identity,
    createProvider: (body = {}) =>
      ok(
        server.admin.client.POST('/v1/orgs/{organizationId}/saml', {
          params: { path: { organizationId: server.organization } },
          body: { label: 'Accounts', ...identity.settings, ...body },
        }),
      ),
    signInAs: async (email, { service }, displayName) => {
      identity.user = { email, ...(displayName !== undefined && { displayName }) };
      const response = await signInAt(service.startURL);
      return { response, session: await sessionOf(response), page: await response.text() };
    },
    begin,
    answer: async (provider, values) => await (await begin(provider))(values),
    sessionOf,
    stop: async () => {
      await Promise.all([server.stop(), identity.stop()]);
    },
  };
}
