import { OutgoingError } from '../../../outgoing/errors.ts';
import type { Budget } from '../budget.ts';

/** Maximum size of a robots.txt; a larger one is ignored. */
export const MAX_ROBOTS_BYTES = 524_288;

/** Rules of a site for robots (RFC 9309). */
export interface Robots {
  /** Whether a path with its query may be fetched. */
  allows(path: string): boolean;
}

interface Rule {
  allow: boolean;
  pattern: string;
}

/** Maximum characters of a robots.txt that are read (at least 500 KiB by RFC 9309, section 2.5). */
export const MAX_ROBOTS_CHARACTERS = 524_288;
/** Maximum rules of a robots.txt that are read for one agent. */
export const MAX_ROBOTS_RULES = 2_000;

const ALLOW_ALL: Robots = { allows: () => true };
const ALLOW_NOTHING: Robots = { allows: () => false };

/** Parses the rules for an agent: those of the groups that name it, else those for all agents. */
function parseRobots(text: string, agent = 'colophon'): Robots {
  const agentRules: Rule[] = [];
  const defaultRules: Rule[] = [];
  let isNamed = false;
  let agents: string[] = [];
  let inAgents = false;
  for (const line of text.slice(0, MAX_ROBOTS_CHARACTERS).split(/\r\n?|\n/)) {
    const [, field = '', value = ''] = /^\s*([a-z-]+)\s*:\s*([^#]*)/i.exec(line) ?? [];
    const argument = value.trim();
    const name = field.toLowerCase();
    if (name === 'user-agent') {
      if (!inAgents) {
        agents = [];
      }
      inAgents = true;
      agents.push(argument.toLowerCase());
      isNamed ||= argument.toLowerCase() === agent;
      continue;
    }
    if (name !== 'allow' && name !== 'disallow') {
      continue;
    }
    inAgents = false;
    if (argument === '') {
      continue;
    }
    const rule = { allow: name === 'allow', pattern: normalized(argument) };
    if (agents.includes(agent) && agentRules.length < MAX_ROBOTS_RULES) {
      agentRules.push(rule);
    }
    if (agents.includes('*') && defaultRules.length < MAX_ROBOTS_RULES) {
      defaultRules.push(rule);
    }
  }
  const rules = isNamed ? agentRules : defaultRules;
  return { allows: (path) => isAllowed(rules, normalized(path)) };
}

/** Normalizes a path or pattern for comparison: percent-encoded, in uppercase (RFC 9309, section 2.2.2). */
const normalized = (path: string): string =>
  path
    .toWellFormed()
    .replace(/[^\x21-\x7e]+/g, encodeURIComponent)
    .replace(/%[0-9a-f]{2}/gi, (octet) => octet.toUpperCase());

/** The longest matching pattern decides; if two have the same length, the one that allows (RFC 9309, section 2.2.2). */
function isAllowed(rules: readonly Rule[], path: string): boolean {
  let best: Rule | undefined;
  for (const rule of rules) {
    if (!matches(rule.pattern, path)) {
      continue;
    }
    const longer = rule.pattern.length - (best?.pattern.length ?? -1);
    if (longer > 0 || (longer === 0 && rule.allow)) {
      best = rule;
    }
  }
  return best?.allow ?? true;
}

/** `*` matches any text, and a final `$` the end. Reads the path once, for any pattern. */
function matches(pattern: string, path: string): boolean {
  const isExact = pattern.endsWith('$');
  const [first = '', ...rest] = (isExact ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(first)) {
    return false;
  }
  let at = first.length;
  const last = isExact ? rest.pop() : undefined;
  for (const part of rest) {
    const index = path.indexOf(part, at);
    if (index === -1) {
      return false;
    }
    at = index + part.length;
  }
  if (!isExact) {
    return true;
  }
  return last === undefined ? path.length === at : path.length - last.length >= at && path.endsWith(last);
}

/**
 * Fetches the robots.txt of a site. A missing one allows everything; an unreachable one allows nothing (RFC 9309,
 * section 2.3.1).
 */
export async function fetchRobots(site: URL, budget: Budget): Promise<Robots> {
  try {
    const response = await budget.fetch(new URL('/robots.txt', site), { maxBytes: MAX_ROBOTS_BYTES });
    if (response.status === 200) {
      return parseRobots(Buffer.from(response.body).toString('utf8'));
    }
    return response.status >= 500 ? ALLOW_NOTHING : ALLOW_ALL;
  } catch (error) {
    if (!(error instanceof OutgoingError) || error.code === 'aborted') {
      throw error;
    }
    return error.code === 'timeout' || error.code === 'unreachable' ? ALLOW_NOTHING : ALLOW_ALL;
  }
}
