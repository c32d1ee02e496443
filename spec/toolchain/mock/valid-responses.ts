import { messageOf } from '../../../server/contract/errors.ts';
import { mediaKindOf } from '../../../server/contract/media-types.ts';
import type { Validation } from '../../../server/contract/validation/validation.ts';
import type { Operation } from '../model/contract/contract.ts';
import type { SampleValues } from '../model/sample/values.ts';
import { UnusableSchema } from '../model/schema/schema.ts';
import type { MockHandler } from './handlers.ts';
import type { MockReply } from './responses.ts';

/**
 * Returns a handler with valid JSON bodies: the body of a handler if it is valid, or else a random value of the schema.
 *
 * @param validation validates the responses of the operation; undefined if the router does not serve it
 * @throws {UnusableSchema} if none of these is valid
 */
export function validHandler(
  handle: MockHandler,
  operation: Operation,
  values: SampleValues,
  validation: () => Validation | undefined,
): MockHandler {
  return (request) => {
    const made = handle(request);
    const media = declaredMedia(operation, made);
    if (!media) {
      return made;
    }
    const faultOf = (body: unknown): string | undefined => {
      try {
        // Validation may modify the value.
        validation()?.response(media.key, media.type, JSON.parse(JSON.stringify(body ?? null)));
        return undefined;
      } catch (error) {
        return messageOf(error);
      }
    };
    const fault = faultOf(made.body);
    if (fault === undefined) {
      return made;
    }
    for (const body of values.random(media.schema, 1)) {
      if (faultOf(body) === undefined) {
        return { ...made, body };
      }
    }
    throw new UnusableSchema(`No valid response can be made: ${fault}`);
  };
}

/** Returns the declaration of a JSON body. */
function declaredMedia({ responses }: Operation, { status, contentType }: MockReply) {
  if (contentType === undefined || mediaKindOf(contentType) !== 'json') {
    return undefined;
  }
  const key = [`${status}`, `${String(status)[0]}XX`, 'default'].find((candidate) => responses[candidate]);
  const media = key === undefined ? undefined : responses[key]?.content[contentType];
  return key === undefined || media === undefined
    ? undefined
    : { key, type: contentType, schema: media.schema ?? {} };
}
