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
import { auditorOf } from '../platform/kit/audit/record.ts';
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
      const caller = await authenticate(services.database.query, token, services.clock());
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

/** Returns the function that creates the context of each request from what all of them share. */
export function contextCreator(
  shared: Services & Pick<Context, 'publishedPages' | 'slots'>,
): (request: RequestContext<Principals>) => Context {
  return (request) => {
    const { requestId, address, principals } = request;
    const user = principals.AccessToken;
    const requireUser = () => {
      if (!user) {
        throw credentialMissing();
      }
      return user;
    };
    return {
      ...shared,
      requestId,
      address,
      location: undefined,
      visitor: user ? undefined : { token: principals.VisitorToken },
      get caller() {
        return requireUser();
      },
      get audit() {
        const { id, token } = requireUser();
        const actor = { user: id, token: token.id };
        return auditorOf(shared, { actor, requestId, address });
      },
      // Created on first use.
      get signal() {
        return request.signal;
      },
    };
  };
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
