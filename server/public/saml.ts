import { type ErrorRequestHandler, type Request, type Response, Router } from 'express';
import { preferredType } from '../contract/accept.ts';
import { ContractError, callerAddress } from '../contract/index.ts';
import {
  crossOriginSignOut,
  fieldInvalid,
  samlProviderNotActive,
  samlResponseRejected,
  signInNotPending,
} from '../errors.ts';
import { deleteSession, pruneSessions } from '../identity/sessions.ts';
import { auditorOf } from '../models/audit-events/record.ts';
import { type ActiveProvider, findActiveProvider } from '../models/saml-providers/queries.ts';
import { createRequest, findRequest, type SamlRequest } from '../models/saml-providers/requests.ts';
import type { Assertion } from '../models/saml-providers/response.ts';
import { ReplayError, type SignIn, signIn } from '../models/saml-providers/sign-in.ts';
import { createSamlThreads, SAML_TASK_LIMITS } from '../models/saml-providers/threads.ts';
import type { Services } from '../resources/kit/slice.ts';
import { ThreadsBusyError } from '../threads/threads.ts';
import {
  browserSecretOf,
  clearSessionCookie,
  sessionSecretOf,
  setBrowserCookie,
  setSessionCookie,
} from './saml/cookies.ts';
import { receiveResponse } from './saml/form.ts';
import { failureContent, PAGE_HEADERS, SIGNED_OUT_CONTENT, sendPage, signedInContent } from './saml/pages.ts';
import { isReturnPath } from './saml/return-path.ts';

/** Maximum length of the cause of a rejection in the log, which may contain text of the response. */
export const MAX_LOGGED_CAUSE_CHARACTERS = 500;

type SamlServices = Pick<Services, 'clock' | 'database' | 'log' | 'makeId' | 'resourceUrls'>;

/**
 * Creates the service URLs of SAML providers: metadata, start of a sign-in, and the receiver of its response. Sign-ins
 * that the identity provider starts are rejected, because anyone could have others sign in with their own account.
 */
export function createSamlService(services: SamlServices): Router {
  const { clock, database, log, resourceUrls } = services;
  const threads = createSamlThreads();
  const { origin, protocol, pathname } = new URL(resourceUrls.at('/saml'));
  const isSecure = protocol === 'https:';
  const signOutURL = resourceUrls.at('/saml/sign-out');

  /** @throws ContractError 404 */
  const providerOf = async (req: Request<{ provider: string }>): Promise<ActiveProvider> => {
    const provider = await findActiveProvider(database.query, req.params.provider);
    if (!provider) {
      throw samlProviderNotActive();
    }
    return provider;
  };
  const settingsOf = ({ id, ssoURL, entityID, certificates }: ActiveProvider) => ({
    ssoURL,
    entityID,
    certificates,
    service: resourceUrls.samlService(id),
  });
  const optionsFor = (req: Request, bytes = 0) => ({
    owner: callerAddress(req),
    bytes,
    limits: SAML_TASK_LIMITS,
  });
  /** Logs why a sign-in failed, and returns the error to report, which does not state it. */
  const reject = (res: Response, provider: ActiveProvider, cause: unknown, error: ContractError) => {
    const { requestId } = res.locals;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const details = {
      requestId,
      samlProvider: provider.id,
      cause: reason.slice(0, MAX_LOGGED_CAUSE_CHARACTERS),
    };
    log.warn(details, 'SAML sign-in rejected');
    return error;
  };

  /** @throws ContractError 400 if the response is invalid */
  const readAssertion = async (
    req: Request,
    res: Response,
    provider: ActiveProvider,
    { requestId, response }: { requestId: string; response: string },
  ): Promise<Assertion> => {
    const input = { settings: settingsOf(provider), requestId, response };
    try {
      return await threads.run('readResponse', input, optionsFor(req, response.length));
    } catch (error) {
      throw error instanceof ThreadsBusyError ? error : reject(res, provider, error, samlResponseRejected());
    }
  };

  /** @throws ContractError 400 if the response was used before, 403 if the membership is disabled */
  const complete = async (
    req: Request,
    res: Response,
    sign: { provider: ActiveProvider; request: SamlRequest; assertion: Assertion },
  ): Promise<SignIn> => {
    const requestId = String(res.locals.requestId);
    const audit = auditorOf(services, { actor: 'system', requestId, address: callerAddress(req) });
    try {
      return await database.transaction((trx) => signIn(trx, { ...services, audit }, sign));
    } catch (error) {
      if (error instanceof ReplayError) {
        throw reject(res, sign.provider, error, signInNotPending());
      }
      throw error instanceof ContractError ? reject(res, sign.provider, error, error) : error;
    }
  };

  const router = Router();
  router.use('/saml', (_req, res, next) => {
    res.set(PAGE_HEADERS);
    next();
  });

  router.get('/saml/:provider', async (req, res) => {
    const provider = await providerOf(req);
    const input = { settings: settingsOf(provider), id: `_${provider.id}` };
    const metadata = await threads.run('metadataOf', input, optionsFor(req));
    res.type('application/samlmetadata+xml').send(metadata);
  });

  router.get('/saml/:provider/start', async (req, res) => {
    const returnPath = req.query.return;
    if (returnPath !== undefined && !isReturnPath(returnPath)) {
      throw fieldInvalid('return', 'must be a path of this server, such as /docs', 'query');
    }
    const provider = await providerOf(req);
    const now = clock();
    // Without TLS, browsers do not send the cookie with the form of the identity provider.
    const browser = isSecure ? setBrowserCookie(req, res, pathname) : undefined;
    const request = await createRequest(database.query, { provider, browser, returnPath, now });
    const input = { settings: settingsOf(provider), ...request };
    res.redirect(302, await threads.run('requestUrl', input, optionsFor(req)));
  });

  router.post('/saml/:provider/acs', async (req, res) => {
    const provider = await providerOf(req);
    const { response, relayState } = await receiveResponse(req, res);
    const search = { provider: provider.id, relayState, browser: browserSecretOf(req), now: clock() };
    const request = await findRequest(database.query, search);
    if (!request) {
      const cause = 'No pending sign-in of this provider and browser has this relay state.';
      throw reject(res, provider, cause, signInNotPending());
    }
    const { requestId } = request;
    const assertion = await readAssertion(req, res, provider, { requestId, response });
    await pruneSessions(database.query, clock());
    const { user, session } = await complete(req, res, { provider, request, assertion });
    const { id: samlProvider, organization, title } = provider;
    log.info({ requestId: res.locals.requestId, samlProvider, organization, user }, 'signed in with SAML');
    setSessionCookie(res, session, isSecure);
    if (request.returnPath === null) {
      sendPage(req, res, { title: `Signed in to ${title}`, content: signedInContent(signOutURL) });
    } else {
      res.redirect(303, origin + request.returnPath);
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
