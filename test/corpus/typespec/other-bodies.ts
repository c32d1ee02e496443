import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OtherBody } from './raw-request.ts';

/** Returns the body of a scenario if its mock API does not declare the expected body. */
export function otherBody(root: string, scenario: string): OtherBody | undefined {
  return OTHER_BODIES[scenario]?.(root);
}

/** Bodies as the descriptions of the scenarios state them. */
const OTHER_BODIES: Readonly<Record<string, (root: string) => OtherBody>> = {
  Payload_JsonMergePatch_updateResource: mergePatch,
  Payload_JsonMergePatch_updateOptionalResource: mergePatch,
  Payload_MediaType_StringBody_sendAsText: () => ({ contentType: 'text/plain', rawContent: '{cat}' }),
  Payload_MultiPart_FormData_File_uploadFileSpecificContentType: (root) => files(root, 'file', 1),
  Payload_MultiPart_FormData_File_uploadFileRequiredFilename: (root) => files(root, 'file', 1),
  Payload_MultiPart_FormData_File_uploadFileArray: (root) => files(root, 'files', 2),
  Type_Model_Visibility_putReadOnlyModel: () => ({ contentType: 'application/json', rawContent: '{}' }),
};

function mergePatch(): OtherBody {
  const names = ['description', 'array', 'intValue', 'floatValue', 'innerModel', 'intArray'];
  const patch = {
    ...Object.fromEntries(names.map((name) => [name, null])),
    map: { key: { description: null }, key2: null },
  };
  return { contentType: 'application/merge-patch+json', rawContent: JSON.stringify(patch) };
}

function files(root: string, fieldname: string, count: number): OtherBody {
  const buffer = readFileSync(join(root, 'node_modules/@typespec/http-specs/assets/image.png'));
  const file = { fieldname, originalname: 'image.png', buffer, mimetype: 'image/png' };
  return { kind: 'multipart', contentType: 'multipart/form-data', files: Array(count).fill(file) };
}
