import type { RequestContext, SecurityHooks } from '../contract/index.ts';
import type { TokenScope } from '../database/schema/accounts/access-tokens.ts';
import { credentialMissing, visitorTokenInvalid } from '../errors/errors.ts';
import { authenticate, type Caller } from '../identity/caller.ts';
import { requireInstallationScope } from '../identity/installation-scopes.ts';
import { requireAccountOperation } from '../identity/integration-accounts.ts';
import { requireScope } from '../identity/scopes.ts';
import type { TokenUse } from '../identity/token-use.ts';
import { auditorOf } from '../platform/kit/audit/record.ts';
import type { Context, Services } from '../platform/kit/slice.ts';
import type { RequestSlots } from '../platform/kit/slots.ts';
import { isWellFormedVisitorToken } from '../platform/sites/visitors/tokens.ts';

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

/** Creates the context of a request. */
export function contextOf(
  services: Services & Pick<Context, 'publishedPages'>,
  slots: RequestSlots,
  request: RequestContext<Principals>,
): Context {
  const { requestId, address, principals } = request;
  const user = principals.AccessToken;
  const requireUser = () => {
    if (!user) {
      throw credentialMissing();
    }
    return user;
  };
  return {
    ...services,
    requestId,
    address,
    slots,
    location: undefined,
    visitor: user ? undefined : { token: principals.VisitorToken },
    get caller() {
      return requireUser();
    },
    get audit() {
      const { id, token } = requireUser();
      const actor = { user: id, token: token.id };
      return auditorOf(services, { actor, requestId, address });
    },
    // Created on first use.
    get signal() {
      return request.signal;
    },
  };
}

/** Requires the token of a request to permit an operation. */
export function authorize(context: Context, operationId: string, scope: TokenScope): void {
  if (context.visitor) {
    return;
  }
  const { installation, integration, token } = context.caller;
  if (installation) {
    requireInstallationScope(installation.scopes, operationId);
  } else if (integration !== undefined) {
    requireAccountOperation(operationId);
  } else {
    requireScope(token.scopes, scope);
  }
}
