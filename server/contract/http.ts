/**
 * Node's HTTP module. An import of it would also load what it exports lazily, such as `WebSocket`, which makes each start
 * of a process 35 ms longer.
 */
export const { createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http');
