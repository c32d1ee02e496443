import {
  type OpenApiDocument,
  operationsOf,
  type RequestContext,
  type SecurityHooks,
} from '../contract/index.ts';
import type { TokenScope } from '../database/schema/accounts/access-tokens.ts';
import { credentialMissing, visitorTokenInvalid } from '../errors/errors.ts';
import { authenticate, type Caller } from '../identity/caller.ts';
import { requireInstallationScope } from '../identity/installation-scopes.ts';
import { requireAccountOperation } from '../identity/integration-accounts.ts';
import { requiredScope, requireScope } from '../identity/scopes.ts';
import type { TokenUse } from '../identity/token-use.ts';
import { auditorOf, type RecordAudit } from '../platform/kit/audit/record.ts';
import type { Context, Services } from '../platform/kit/slice.ts';
import { isWellFormedVisitorToken } from '../platform/sites/visitors/token-form.ts';

/** What the security hooks return, by security scheme. */
export interface Principals {
  AccessToken: Caller;
  /** The token of a visitor, not yet verified. */
  VisitorToken: string;
}

/** Creates the checks of credentials by security scheme. */
export const securityOf = (services: Services, tokenUse: TokenUse): SecurityHooks<Principals> => ({
  AccessToken: {
    bearer: async (token) => {
      const { query, replicas } = services.database;
      const options = { selectsWrites: replicas !== undefined };
      const caller = await authenticate(query, token, services.clock(), options);
      tokenUse.record(caller.token);
      return caller;
    },
  },
  // The site that the token is for is known to the handler, which verifies it.
  VisitorToken: {
    bearer: async (token) => {
      if (!isWellFormedVisitorToken(token)) {
        throw visitorTokenInvalid();
      }
      return token;
    },
  },
});

/** What the contexts of all requests share. */
type SharedContext = Services & Pick<Context, 'publishedPages' | 'slots'>;

/** Returns the function that creates the context of each request from what all of them share. */
export function contextCreator(shared: SharedContext): (request: RequestContext<Principals>) => Context {
  /**
   * The context of a request. The shared part is copied, so that spread syntax copies it, too. The getters are those of a
   * class: V8 keeps getters that are created for a request, and the request that they refer to, until a full garbage
   * collection.
   */
  class SingleRequest implements Omit<Context, keyof SharedContext> {
    readonly requestId: string;
    readonly address: string;
    location: string | undefined;
    readonly visitor: Context['visitor'];
    readonly #request: RequestContext<Principals>;

    constructor(request: RequestContext<Principals>) {
      Object.assign(this, shared);
      const { requestId, address, principals } = request;
      this.#request = request;
      this.requestId = requestId;
      this.address = address;
      this.visitor = principals.AccessToken ? undefined : { token: principals.VisitorToken };
    }

    get caller(): Caller {
      const { AccessToken: user } = this.#request.principals;
      if (!user) {
        throw credentialMissing();
      }
      return user;
    }

    get audit(): RecordAudit {
      const { id, token } = this.caller;
      const { requestId, address } = this;
      return auditorOf(shared, { actor: { user: id, token: token.id }, requestId, address });
    }

    // Created on first use.
    get signal(): AbortSignal {
      return this.#request.signal;
    }
  }
  // With the assigned properties, it has all of a context.
  return (request) => new SingleRequest(request) as SingleRequest & SharedContext;
}

/** Returns the function that requires the token of a request to permit an operation of the document. */
export function authorizer(document: OpenApiDocument): (operationId: string, context: Context) => void {
  const scopes = scopesOf(document);
  return (operationId, context) => {
    if (context.visitor) {
      return;
    }
    const { installation, integration, token } = context.caller;
    if (installation) {
      requireInstallationScope(installation.scopes, operationId);
    } else if (integration !== undefined) {
      requireAccountOperation(operationId);
    } else {
      requireScope(token.scopes, scopes.get(operationId) ?? 'admin');
    }
  };
}

/** Returns the required token scope of each operation by operation ID. */
function scopesOf(document: OpenApiDocument): Map<string, TokenScope> {
  const operations = Object.values(document.paths).flatMap(operationsOf);
  return new Map(
    operations.map(([method, operation]) => [
      operation.operationId,
      requiredScope(method, operation['x-scope']),
    ]),
  );
}
