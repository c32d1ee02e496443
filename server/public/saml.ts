import { Router } from 'express';
import { samlSignInNotSupported } from '../errors.ts';

/**
 * Creates the service URLs of SAML providers. Signing in with SAML is not supported, so they return an error that
 * states the alternative.
 */
export function createSamlService(): Router {
  const router = Router();
  router.all(['/saml/:provider', '/saml/:provider/:service'], () => {
    throw samlSignInNotSupported();
  });
  return router;
}
