import { Router } from 'express';
import { ContractError } from '../contract/errors.ts';

/**
 * The addresses that SAML providers are told about us. Nobody signs in here: callers come with access tokens,
 * and users who are redirected here read the reason.
 */
export function createSamlService(): Router {
  const router = Router();
  router.all(['/saml/:provider', '/saml/:provider/:service'], () => {
    throw new ContractError(
      501,
      'This server keeps SAML providers but does not sign members in with them; use an access token.',
    );
  });
  return router;
}
