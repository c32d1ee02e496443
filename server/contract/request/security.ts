import type { Request } from 'express';
import { dereferenced, type OpenApiDocument, type OperationObject } from '../document.ts';
import { ContractError, unauthenticated } from '../errors.ts';
import {
  type BasicCredential,
  type Credential,
  credentialReader,
  type SecurityScheme,
} from './credentials.ts';
import type { RequestInfo } from './request-info.ts';

/** What a security hook receives next to the credential. */
export interface HookDetails {
  /** The scopes that the operation requires of the scheme; empty for schemes without scopes. */
  readonly scopes: readonly string[];
  readonly request: RequestInfo;
}

/**
 * Verifies a credential and returns its principal, such as a user. Throws `unauthenticated` (401) for a credential that
 * is unknown, expired or revoked, and a `ContractError` with 403 for one that lacks a scope. Any other error is a
 * failure of the server: it is not tried again with another scheme.
 */
export type VerifyCredential<Value, Principal> = (value: Value, details: HookDetails) => Promise<Principal>;

/**
 * The hook of one security scheme, under the name of its kind: `bearer` for bearer tokens, OAuth 2 and OpenID Connect;
 * `basic` for username and password; `apiKey` for a key in a header, a query parameter or a cookie; `http` for another
 * authentication scheme: the hook receives what follows the name of the scheme in the header `Authorization`.
 */
export type SecurityHook<Principal> =
  | { readonly bearer: VerifyCredential<string, Principal> }
  | { readonly basic: VerifyCredential<BasicCredential, Principal> }
  | { readonly apiKey: VerifyCredential<string, Principal> }
  | { readonly http: VerifyCredential<string, Principal> };

/** The hooks of a contract: one for each security scheme, by name. */
export type SecurityHooks<Principals> = {
  readonly [Name in keyof Principals]: SecurityHook<Principals[Name]>;
};

/** The credentials of a request, for each alternative with all its credentials present. */
export interface PresentedCredentials {
  readonly alternatives: readonly (readonly PresentedCredential[])[];
  /** Identifies the credentials, for rate limits; undefined if the request is anonymous. */
  readonly id: string | undefined;
}

interface PresentedCredential {
  readonly scheme: Scheme;
  readonly scopes: readonly string[];
  readonly credential: Credential;
}

/** Authenticates the requests of one operation. */
export interface Authentication {
  /** Names of query parameters that contain credentials. */
  readonly queryNames: readonly string[];
  /**
   * Reads the credentials of a request.
   *
   * @throws ContractError 401 if a required credential is missing or malformed
   */
  read(req: Request, query: string): PresentedCredentials;
  /**
   * Verifies the credentials of a request: the alternatives in the order of the contract, until one succeeds.
   *
   * @returns the principals by scheme; none for an anonymous request
   * @throws ContractError of the first alternative that failed with 403, or else of the first that failed with 401
   */
  verify(presented: PresentedCredentials, request: RequestInfo): Promise<Record<string, unknown>>;
}

/** A scheme with its hook. */
interface Scheme {
  name: string;
  read: (req: Request, query: string) => Credential | undefined;
  /** How callers send the credential: `Authorization: Bearer <token>`. */
  usage: string;
  challenge: string;
  verify: (value: never, details: HookDetails) => Promise<unknown>;
}

const ANONYMOUS: PresentedCredentials = Object.freeze({ alternatives: [], id: undefined });

/**
 * Creates the authentication of an operation from its security requirements. Credentials that a request contains must
 * be valid even if the operation permits anonymous requests (`{}`).
 *
 * @throws Error if a scheme has no hook, or one of another kind
 */
export function createAuthentication(
  document: OpenApiDocument,
  { security = [] }: OperationObject,
  hooks: Readonly<Record<string, SecurityHook<unknown>>>,
): Authentication {
  const schemes = new Map<string, Scheme>();
  for (const name of new Set(security.flatMap((requirement) => Object.keys(requirement)))) {
    schemes.set(name, schemeOf(document, name, hooks[name]));
  }
  const alternatives = security
    .map((requirement) =>
      Object.entries(requirement).flatMap(([name, scopes]) => {
        const scheme = schemes.get(name);
        return scheme ? [{ scheme, scopes }] : [];
      }),
    )
    .filter(({ length }) => length > 0);
  const isOptional = alternatives.length < security.length || security.length === 0;
  const all = [...schemes.values()];
  const challenge = all.map((scheme) => scheme.challenge).join(', ');
  const usage = alternatives.map((required) => required.map(({ scheme }) => scheme.usage).join(' and '));
  return {
    queryNames: all.flatMap(({ name }) => queryNameOf(document, name)),
    read(req, query) {
      if (all.length === 0) {
        return ANONYMOUS;
      }
      const credentials = new Map<Scheme, Credential>();
      for (const scheme of all) {
        const credential = scheme.read(req, query);
        if (credential) {
          credentials.set(scheme, credential);
        }
      }
      if (credentials.size === 0 && isOptional) {
        return ANONYMOUS;
      }
      const complete = alternatives
        .map((required) =>
          required.flatMap(({ scheme, scopes }) => {
            const credential = credentials.get(scheme);
            return credential?.value === undefined ? [] : [{ scheme, scopes, credential }];
          }),
        )
        .filter(({ length }, index) => length === alternatives[index]?.length);
      if (complete.length === 0) {
        throw challenged(missingCredential(usage), challenge);
      }
      return {
        alternatives: complete,
        id: [...credentials].map(([{ name }, { id }]) => `${name} ${id}`).join('\n'),
      };
    },
    async verify({ alternatives: presented }, request) {
      let refusal: ContractError | undefined;
      for (const required of presented) {
        try {
          const principals: Record<string, unknown> = {};
          for (const { scheme, scopes, credential } of required) {
            principals[scheme.name] = await scheme.verify(credential.value as never, { scopes, request });
          }
          return principals;
        } catch (error) {
          if (!(error instanceof ContractError) || (error.status !== 401 && error.status !== 403)) {
            throw error;
          }
          if (!refusal || (refusal.status === 401 && error.status === 403)) {
            refusal = error;
          }
        }
      }
      if (refusal) {
        throw refusal.status === 401 ? challenged(refusal, challenge) : refusal;
      }
      return {};
    },
  };
}

function schemeOf(document: OpenApiDocument, name: string, hook: SecurityHook<unknown> | undefined): Scheme {
  const declared = securityScheme(document, name);
  const { kind, ...reader } = credentialReader(declared, document.info.title);
  // A hook has exactly one kind, and accepts the values that the reader of this kind returns.
  const verify = (hook as Readonly<Record<string, Scheme['verify']>> | undefined)?.[kind];
  if (!verify) {
    throw new Error(
      `The security scheme ${name} requires a hook of the kind "${kind}" in the option security.`,
    );
  }
  return { name, verify, ...reader };
}

/** Returns a security scheme of a document; throws if it does not exist. */
export function securityScheme(document: OpenApiDocument, name: string): SecurityScheme {
  return dereferenced<SecurityScheme>(document, { $ref: `#/components/securitySchemes/${name}` });
}

function queryNameOf(document: OpenApiDocument, scheme: string): string[] {
  const { in: location, name } = securityScheme(document, scheme);
  return location === 'query' && name !== undefined ? [name] : [];
}

const missingCredential = (usage: readonly string[]) =>
  unauthenticated(`Authentication is required. Send ${usage.join(', or ')}.`);

/** Adds the challenges of the operation's schemes (RFC 9110, section 11.6.1), unless the error has its own. */
function challenged(error: ContractError, challenge: string): ContractError {
  const { status, reason, message, details, headers } = error;
  return new ContractError(status, reason, message, {
    details,
    headers: { 'WWW-Authenticate': challenge, ...headers },
    cause: error,
  });
}
