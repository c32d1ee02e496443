import { Router } from 'express';
import { ContractError } from '../contract/errors.ts';

/**
 * Creates the service URLs of SAML providers. Signing in with SAML is not supported, so they return an error that
 * states the alternative.
 */
export function createSamlService(): Router {
  const router = Router();
  router.all(['/saml/:provider', '/saml/:provider/:service'], () => {
    throw new ContractError(501, 'Signing in with SAML is not supported. Use an access token.');
  });
  return router;
}
