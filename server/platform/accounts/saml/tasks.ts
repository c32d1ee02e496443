import { metadataOf, requestUrl } from './messages.ts';
import { readResponse } from './response.ts';

/** The tasks that run in the threads of SAML: they keep XML, and the libraries that process it, out of the main thread. */
export const samlTasks = { metadataOf, requestUrl, readResponse };

export type SamlTasks = typeof samlTasks;
