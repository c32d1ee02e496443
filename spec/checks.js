import { getAllHttpServices } from '@typespec/http';
import { checkDocumentation } from './checks/documentation.js';
import { checkLists } from './checks/lists.js';
import { checkNames } from './checks/names.js';
import { checkRequestStrings } from './checks/request-strings.js';
import { checkResponses } from './checks/responses.js';

export { $lib } from './checks/library.js';

/**
 * Holds every operation of a contract against the rules of this house. The compiler calls it once it has read
 * the whole program, because `main.tsp` imports this file; what breaks a rule is an error at its place.
 * @param {import('@typespec/compiler').Program} program
 */
export function $onValidate(program) {
  // The HTTP library reports its own problems; here they would come twice.
  const [services] = getAllHttpServices(program);
  const operations = services.flatMap((service) => service.operations);
  const namespaces = services.map((service) => service.namespace);
  checkNames(program, operations);
  checkResponses(program, operations);
  checkLists(program, operations);
  checkRequestStrings(program, operations);
  checkDocumentation(program, namespaces, operations);
}
