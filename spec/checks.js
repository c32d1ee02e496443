import { getAllHttpServices } from '@typespec/http';
import { checkDocumentation } from './checks/documentation.js';
import { checkLists } from './checks/lists.js';
import { checkNames } from './checks/names.js';
import { checkRequestStrings } from './checks/request-strings.js';
import { checkResponses } from './checks/responses.js';

export { $lib } from './checks/library.js';

/**
 * Checks all operations of a contract against the rules in `checks/`. The compiler calls it after reading the whole
 * program, because `main.tsp` imports this file. A violation is an error at its location.
 * @param {import('@typespec/compiler').Program} program
 */
export function $onValidate(program) {
  // The HTTP library reports its own problems; reporting them here would duplicate them.
  const [services] = getAllHttpServices(program);
  const operations = services.flatMap((service) => service.operations);
  const namespaces = services.map((service) => service.namespace);
  checkNames(program, operations);
  checkResponses(program, operations);
  checkLists(program, operations);
  checkRequestStrings(program, operations);
  checkDocumentation(program, namespaces, operations);
}
