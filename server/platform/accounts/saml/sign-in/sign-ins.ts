import type { Request, Response } from 'express';
import { ContractError, callerAddress } from '../../../../contract/index.ts';
import type { Database } from '../../../../database/database.ts';
import type { Log } from '../../../../database/log.ts';
import type { Clock, CreateId } from '../../../../database/seams.ts';
import { samlProviderNotActive, samlResponseRejected, signInNotPending } from '../../../../errors/errors.ts';
import { pruneSessions } from '../../../../identity/sessions.ts';
import type { QuotaLimitsOf } from '../../../../quotas/quotas.ts';
import { ThreadsBusyError } from '../../../../threads/threads.ts';
import { auditorOf } from '../../../kit/audit/record.ts';
import type { ResourceUrls } from '../../../kit/resource-urls.ts';
import { type ActiveProvider, findActiveProvider } from '../../saml-providers/queries.ts';
import type { SignInSettings } from '../messages.ts';
import { createRequest, findRequest } from '../requests.ts';
import type { Assertion } from '../response.ts';
import { ReplayError, type SignIn, signIn } from '../sign-in.ts';
import { SAML_TASK_LIMITS, type SamlThreads } from '../threads.ts';
import { browserSecretOf } from './cookies.ts';
import type { ResponseForm } from './form.ts';

/** Maximum length of the cause of a rejection in the log, which may contain text of the response. */
export const MAX_LOGGED_CAUSE_CHARACTERS = 500;

export interface SamlServices {
  database: Database;
  clock: Clock;
  createId: CreateId;
  resourceUrls: ResourceUrls;
  samlThreads: SamlThreads;
  quotas: QuotaLimitsOf;
  log: Log;
}

/** A completed sign-in, with the path to open afterwards. */
export interface CompletedSignIn extends SignIn {
  returnPath: string | null;
}

/** The sign-ins with SAML providers. XML is processed in threads. */
export class SamlSignIns {
  readonly #services: SamlServices;
  readonly #threads: SamlThreads;

  constructor(services: SamlServices) {
    this.#services = services;
    this.#threads = services.samlThreads;
  }

  /**
   * Finds the provider of a request.
   *
   * @throws ContractError 404 if it does not exist or is not active
   */
  async providerOf(req: Request<{ provider: string }>): Promise<ActiveProvider> {
    const provider = await findActiveProvider(this.#services.database.query, req.params.provider);
    if (!provider) {
      throw samlProviderNotActive();
    }
    return provider;
  }

  /** Returns the metadata of this service for a provider, in XML. */
  async metadata(req: Request, provider: ActiveProvider): Promise<string> {
    const input = { settings: this.#settingsOf(provider), id: `_${provider.id}` };
    return await this.#threads.run('metadataOf', input, optionsFor(req));
  }

  /** Starts a sign-in. Returns the URL of the identity provider that continues it. */
  async start(
    req: Request,
    provider: ActiveProvider,
    started: { browser: string | undefined; returnPath: string | undefined },
  ): Promise<string> {
    const { database, clock } = this.#services;
    const request = await createRequest(database.query, { provider, ...started, now: clock() });
    const input = { settings: this.#settingsOf(provider), ...request };
    return await this.#threads.run('requestUrl', input, optionsFor(req));
  }

  /**
   * Completes a pending sign-in of a browser with the response of the identity provider. Logs why a response is
   * rejected, which the error does not state.
   *
   * @throws ContractError 400 if no sign-in is pending or the response is invalid, 403 if the membership is disabled
   */
  async complete(
    req: Request,
    res: Response,
    provider: ActiveProvider,
    { response, relayState }: ResponseForm,
  ): Promise<CompletedSignIn> {
    const { database, clock, log } = this.#services;
    const search = { provider: provider.id, relayState, browser: browserSecretOf(req), now: clock() };
    const request = await findRequest(database.query, search);
    if (!request) {
      const cause = 'No pending sign-in of this provider and browser has this relay state.';
      throw this.#rejection(res, provider, cause, signInNotPending());
    }
    const { requestId, returnPath } = request;
    const assertion = await this.#readAssertion(req, res, provider, { requestId, response });
    await pruneSessions(database.query, clock());
    const signedIn = await this.#signIn(req, res, { provider, request, assertion });
    const { id: samlProvider, organization } = provider;
    const { user } = signedIn;
    log.info({ requestId: res.locals.requestId, samlProvider, organization, user }, 'signed in with SAML');
    return { ...signedIn, returnPath };
  }

  async #readAssertion(
    req: Request,
    res: Response,
    provider: ActiveProvider,
    { requestId, response }: { requestId: string; response: string },
  ): Promise<Assertion> {
    const input = { settings: this.#settingsOf(provider), requestId, response };
    try {
      return await this.#threads.run('readResponse', input, optionsFor(req, response.length));
    } catch (error) {
      throw error instanceof ThreadsBusyError
        ? error
        : this.#rejection(res, provider, error, samlResponseRejected());
    }
  }

  async #signIn(req: Request, res: Response, completed: Parameters<typeof signIn>[2]): Promise<SignIn> {
    const { provider } = completed;
    const source = {
      actor: 'system',
      requestId: String(res.locals.requestId),
      address: callerAddress(req),
    } as const;
    const services = { ...this.#services, audit: auditorOf(this.#services, source) };
    try {
      return await services.database.transaction((trx) => signIn(trx, services, completed));
    } catch (error) {
      if (error instanceof ReplayError) {
        throw this.#rejection(res, provider, error, signInNotPending());
      }
      throw error instanceof ContractError ? this.#rejection(res, provider, error, error) : error;
    }
  }

  #settingsOf({ id, ssoURL, entityID, certificates }: ActiveProvider): SignInSettings {
    return { ssoURL, entityID, certificates, service: this.#services.resourceUrls.samlService(id) };
  }

  /** Logs why a sign-in failed, and returns the error to report. */
  #rejection(res: Response, provider: ActiveProvider, cause: unknown, error: ContractError): ContractError {
    const text = cause instanceof Error ? cause.message : String(cause);
    const details = {
      requestId: res.locals.requestId,
      samlProvider: provider.id,
      cause: text.slice(0, MAX_LOGGED_CAUSE_CHARACTERS),
    };
    this.#services.log.warn(details, 'SAML sign-in rejected');
    return error;
  }
}

/** Returns the limits of processing a message of a caller. */
const optionsFor = (req: Request, bytes = 0) => ({
  owner: callerAddress(req),
  bytes,
  limits: SAML_TASK_LIMITS,
});
