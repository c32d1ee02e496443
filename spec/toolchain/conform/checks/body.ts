import type { WireResponse } from '../wire/exchange.ts';
import { isJsonType, isOfParser, isStreamType, mayHaveBody } from '../wire/response.ts';
import type { Check, CheckedExchange } from './check.ts';
import { type DeclaredMedia, declaredMedia, type MatchedResponse, matchResponse } from './declared.ts';
import { locationOf, operationLine, truncate } from './location.ts';
import { isOfOperation } from './status.ts';

/** Response with a declared status that may have a body. */
interface DescribedResponse {
  response: WireResponse;
  declared: MatchedResponse;
  contentType: string;
  /** Undefined if the contract does not declare the media type. */
  media: DeclaredMedia | undefined;
}

function describedResponse(checked: CheckedExchange): DescribedResponse | undefined {
  const { operation, exchange } = checked;
  const { response, request } = exchange;
  if (!response || !isOfOperation(checked) || !mayHaveBody(request.method, response.status)) {
    return undefined;
  }
  if (isOfParser(response)) {
    return undefined;
  }
  const declared = matchResponse(operation, response.status);
  if (!declared) {
    return undefined;
  }
  const contentType = response.headers['content-type'] ?? '';
  return { response, declared, contentType, media: declaredMedia(declared.response.content, contentType) };
}

/** Checks the media type of bodies. */
export const declaredMediaType: Check = {
  name: 'declared-media-type',
  rule: 'The media type of a body is declared. A body is present if and only if one is declared.',
  verify(checked) {
    const described = describedResponse(checked);
    if (!described) {
      return undefined;
    }
    const { response, declared, contentType, media } = described;
    const { operation } = checked;
    const types = Object.keys(declared.response.content);
    const expected = `${operation.id} declares ${types.join(', ') || 'no body'} under ${declared.key}.`;
    const summary = `${operationLine(operation)} returned ${response.status}`;
    if (response.body.length === 0) {
      // A stream may have no event yet.
      if (types.length === 0 || media || response.isPartial) {
        return undefined;
      }
      return { message: `${summary} without a body.`, expected, cause: `no body under ${declared.key}` };
    }
    if (types.length === 0) {
      const message = `${summary} with a body of ${response.body.length} bytes, but no body is declared.`;
      return { message, expected, cause: `undeclared body under ${declared.key}` };
    }
    if (media) {
      return undefined;
    }
    const mediaType = contentType === '' ? 'no media type' : `the media type ${truncate(contentType)}`;
    const message = `${summary} with a body of ${mediaType}.`;
    const cause = `${contentType === '' ? mediaType : `media type ${contentType.toLowerCase()}`} under ${declared.key}`;
    return { message, expected, cause };
  },
};

/** Checks bodies against their schemas. */
export const declaredBody: Check = {
  name: 'declared-body',
  rule: 'Bodies can be parsed and are valid for the schema of their status and media type.',
  verify(checked) {
    const described = describedResponse(checked);
    if (!described?.media) {
      return undefined;
    }
    const { response, declared, contentType, media } = described;
    const { operation, schemas } = checked;
    const summary = `${operationLine(operation)} returned ${response.status}`;
    const bodyName = `${operation.id} ${declared.key}`;
    const { schema } = media.media;
    if (isJsonType(contentType) && response.json === undefined) {
      const reason = response.unreadable ?? 'it is empty';
      return {
        message: `${summary} with a JSON body that cannot be parsed: ${truncate(reason)}.`,
        expected: `${operation.id} declares ${media.key} under ${declared.key}.`,
        cause: `unreadable JSON of ${bodyName}`,
      };
    }
    // The schema of a stream may describe one of its events.
    if (schema === undefined || response.isPartial || isStreamType(contentType)) {
      return undefined;
    }
    const value = isJsonType(contentType) ? response.json : textualBody(response, contentType);
    if (value === undefined || schemas.accepts(schema, value)) {
      return undefined;
    }
    const violations = schemas.faults(schema, value);
    const [first] = violations;
    const pointer = first?.pointer ?? '';
    const location = locationOf(schemas, schema, value, pointer, bodyName);
    const more = violations.length > 1 ? `, and ${violations.length - 1} more` : '';
    return {
      message: `${summary} with an invalid body: ${pointer || 'the body'} ${first?.message ?? 'is invalid'}${more}.`,
      expected: `The contract declares ${location} under ${declared.key}, ${media.key}. The value violates "${first?.keyword ?? 'schema'}".`,
      cause: `${location} violates ${first?.keyword ?? 'schema'}`,
    };
  },
};

/** Checks that objects have no undeclared fields. */
export const undeclaredFields: Check = {
  name: 'undeclared-fields',
  rule: 'Objects in response bodies have only fields that their schemas declare.',
  verify(checked) {
    const described = describedResponse(checked);
    const schema = described?.media?.media.schema;
    const json = described?.response.json;
    // declared-body reports invalid bodies, including undeclared fields of closed objects.
    if (!described || schema === undefined || json === undefined || !checked.schemas.accepts(schema, json)) {
      return undefined;
    }
    const { operation, schemas } = checked;
    const pointers = schemas.undeclared(schema, json);
    const [pointer] = pointers;
    if (pointer === undefined) {
      return undefined;
    }
    const location = locationOf(schemas, schema, json, pointer, `${operation.id} ${described.declared.key}`);
    const more = pointers.length > 1 ? `, and ${pointers.length - 1} more` : '';
    return {
      message: `${operationLine(operation)} returned ${described.response.status} with an undeclared field: ${pointer}${more}.`,
      expected: `No schema of the object declares ${location}. Declare it, or omit it from the response.`,
      cause: `undeclared field ${location}`,
    };
  },
};

/** Returns the body as text, if its media type is textual. */
function textualBody(response: WireResponse, contentType: string): string | undefined {
  if (!/^text\//i.test(contentType) || /charset=(?!"?utf-?8|"?us-ascii)/i.test(contentType)) {
    return undefined;
  }
  return response.unreadable === undefined ? new TextDecoder().decode(response.body) : undefined;
}
