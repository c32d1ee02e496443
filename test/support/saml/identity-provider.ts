import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { auth, parseRequest } from 'samlp';
import { PROVIDER_KEY } from './keys.ts';

/** An identity provider on loopback. */
export interface IdentityProvider {
  /** Settings of the SAML provider. */
  settings: { entityID: string; certificate: string; ssoURL: string };
  /** The user who is signed in at the identity provider. */
  user: { email: string; displayName?: string };
  stop(): Promise<void>;
}

/** Starts an identity provider: samlp, which signs the assertion, and the response if requested. */
export async function startIdentityProvider({ signResponse = false } = {}): Promise<IdentityProvider> {
  const { key, certificate } = PROVIDER_KEY;
  const app = express();
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The address of a server that listens on a port is an object.
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const provider: IdentityProvider = {
    settings: { entityID: `${url}/metadata`, certificate, ssoURL: `${url}/sso?tenant=acme` },
    user: { email: 'nobody@example.com' },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  app.get('/sso', (req, res, next) => {
    parseRequest(req, (error: unknown, request) => {
      const acsURL = request?.assertionConsumerServiceURL;
      if (error || acsURL === undefined || req.query.tenant !== 'acme') {
        next(error ?? new Error('The request has no assertion consumer service.'));
        return;
      }
      const { email, ...names } = provider.user;
      const handle = auth({
        issuer: provider.settings.entityID,
        cert: certificate,
        key,
        recipient: acsURL,
        destination: acsURL,
        signResponse,
        getPostURL: (_audience, _request, _req, callback) => callback(null, acsURL),
        getUserFromRequest: () => ({ id: 'u-1', emails: [{ value: email }], name: {}, ...names }),
      });
      handle(req, res, next);
    });
  });
  return provider;
}
