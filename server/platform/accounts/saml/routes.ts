import { type ErrorRequestHandler, type Request, Router } from 'express';
import { ContractError } from '../../../contract/index.ts';
import { preferredType } from '../../../contract/response/accept.ts';
import { crossOriginSignOut, fieldInvalid } from '../../../errors/errors.ts';
import { deleteSession } from '../../../identity/sessions.ts';
import {
  clearSessionCookie,
  sessionSecretOf,
  setBrowserCookie,
  setSessionCookie,
} from './sign-in/cookies.ts';
import { receiveResponse } from './sign-in/form.ts';
import {
  failureContent,
  PAGE_HEADERS,
  SIGNED_OUT_CONTENT,
  sendPage,
  signedInContent,
} from './sign-in/pages.ts';
import { isReturnPath } from './sign-in/return-path.ts';
import { type SamlServices, SamlSignIns } from './sign-in/sign-ins.ts';

/**
 * Creates the service URLs of SAML providers: metadata, start of a sign-in, and the receiver of its response. Sign-ins
 * that the identity provider starts are rejected, because anyone could have others sign in with their own account.
 */
export function createSamlService(services: SamlServices): Router {
  const { database, resourceUrls } = services;
  const { origin, protocol, pathname } = new URL(resourceUrls.at('/saml'));
  const isSecure = protocol === 'https:';
  const signOutURL = resourceUrls.at('/saml/sign-out');
  const signIns = new SamlSignIns(services);

  const router = Router();
  router.use('/saml', (_req, res, next) => {
    res.set(PAGE_HEADERS);
    next();
  });

  router.get('/saml/:provider', async (req, res) => {
    const metadata = await signIns.metadata(req, await signIns.providerOf(req));
    res.type('application/samlmetadata+xml').send(metadata);
  });

  router.get('/saml/:provider/start', async (req, res) => {
    const returnPath = req.query.return;
    if (returnPath !== undefined && !isReturnPath(returnPath)) {
      throw fieldInvalid('return', 'must be a path of this server, such as /docs', 'query');
    }
    const provider = await signIns.providerOf(req);
    // Without TLS, browsers do not send the cookie with the form of the identity provider.
    const browser = isSecure ? setBrowserCookie(req, res, pathname) : undefined;
    res.redirect(302, await signIns.start(req, provider, { browser, returnPath }));
  });

  router.post('/saml/:provider/acs', async (req, res) => {
    const provider = await signIns.providerOf(req);
    const { session, returnPath } = await signIns.complete(
      req,
      res,
      provider,
      await receiveResponse(req, res),
    );
    setSessionCookie(res, session, isSecure);
    if (returnPath === null) {
      sendPage(req, res, { title: `Signed in to ${provider.title}`, content: signedInContent(signOutURL) });
    } else {
      res.redirect(303, origin + returnPath);
    }
  });

  router.post('/saml/sign-out', async (req, res) => {
    if (!isFromOrigin(req, origin)) {
      throw crossOriginSignOut();
    }
    const secret = sessionSecretOf(req);
    if (secret !== undefined) {
      await deleteSession(database.query, secret);
    }
    clearSessionCookie(res, isSecure);
    sendPage(req, res, { title: 'Signed out', content: SIGNED_OUT_CONTENT });
  });

  router.use('/saml', showFailures);
  return router;
}

/** Whether a page of this origin sent a request. Browsers without `Sec-Fetch-Site` send `Origin` with forms. */
function isFromOrigin({ headers }: Request, origin: string): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined ? headers.origin === origin : site === 'same-origin';
}

/** Sends errors as pages to browsers, and to other callers as JSON. */
const showFailures: ErrorRequestHandler = (error: unknown, req, res, next) => {
  const isPage = preferredType(req, ['application/json', 'text/html']) === 'text/html';
  if (!isPage || res.headersSent || !(error instanceof ContractError)) {
    next(error);
    return;
  }
  const { status, headers, message } = error;
  const content = failureContent(message, String(res.locals.requestId));
  sendPage(req, res.set(headers), { status, title: 'Sign-in failed', content });
};
