import { posix } from 'node:path';
import { imageSize } from 'image-size';
import mimeTypes from 'mime-types';
import type { Dimensions } from '../../tree/records.ts';
import {
  decodePath,
  folderOf,
  isMarkdown,
  type PathIndex,
  type RepositoryFile,
  type RepositoryFiles,
  resolvePath,
} from '../files.ts';
import type { Steps } from '../steps.ts';
import type { ImportedFile } from '../types.ts';
import { type ContentConfiguration, rootOf } from './configuration.ts';

// Links and images of Markdown, with one level of parentheses in a URL (CommonMark, section 6.3).
const LINK_PATTERN = /\]\([ \t]?(?:<([^<>\n]+)>|([^\s()<>]+(?:\([^\s()]*\)[^\s()<>]*)*))/g;
const DEFINITION_PATTERN = /^ {0,3}\[[^\]\r\n]{1,999}\]:[ \t]?<?([^\s<>]+)/gm;
// Attributes of HTML and of the platform's blocks.
const ATTRIBUTE_PATTERN = /\b(?:src|href)=(?:"([^"\n]+)"|'([^'\n]+)')/g;
const IMAGE_SET_PATTERN = /\bsrcset=(?:"([^"\n]+)"|'([^'\n]+)')/g;
// External targets and pages: most targets, excluded before any lookup.
const OTHER_PATTERN = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)|\.(?:md|markdown)(?:[?#]|$)/i;

// Only formats whose signatures do not occur in arbitrary data by accident.
const IMAGE_TYPES: ReadonlySet<string> = new Set([
  'png',
  'jpg',
  'gif',
  'webp',
  'svg',
  'bmp',
  'ico',
  'tiff',
  'heif',
  'jxl',
  'jp2',
]);
const MARKUP_START = /^[\s\uFEFF]*</;
const MARKUP_BYTES = 65_536;

/** Collects the files that pages use. */
export class AssetCollector {
  readonly #files: RepositoryFiles;
  readonly #index: PathIndex;
  readonly #configuration: ContentConfiguration;
  readonly #collected = new Map<string, RepositoryFile>();

  constructor(files: RepositoryFiles, index: PathIndex, configuration: ContentConfiguration) {
    this.#files = files;
    this.#index = index;
    this.#configuration = configuration;
  }

  /** Collects a file by its path from the repository's root. */
  add(path: string): void {
    const file = this.#index.file(path);
    if (file !== undefined) {
      this.#collected.set(file.path, file);
    }
  }

  /** Resolves a path written in another file to a file other than a page, and collects it. */
  collect(written: string, from: string): RepositoryFile | undefined {
    // Languages may share files of the documentation.
    const roots = new Set([rootOf(this.#configuration, from), this.#configuration.root]);
    for (const target of new Set([decodePath(written), written])) {
      for (const root of target === '' ? [] : roots) {
        const path = resolvePath(target, folderOf(from), root);
        const file = path === undefined ? undefined : this.#index.file(path);
        if (file !== undefined && !isMarkdown(file.path)) {
          this.#collected.set(file.path, file);
          return file;
        }
      }
    }
    return undefined;
  }

  /** Collects each file that a text refers to. */
  *scan(text: string, from: string): Steps<void> {
    for (const target of yield* assetTargets(text)) {
      this.collect(target, from);
    }
  }

  /** Returns the collected files, ordered by path. */
  list(): ImportedFile[] {
    const files = Array.from(this.#collected.values()).sort((left, right) =>
      left.path < right.path ? -1 : 1,
    );
    return files.map((file) => describe(file, this.#files.read(file.path)));
  }
}

/**
 * Returns the possible paths of files that a text refers to. Only targets are matched, without parsing: a target in a
 * code block merely adds an unused file.
 */
export function* assetTargets(text: string): Steps<Set<string>> {
  const collected = new Set<string>();
  for (const target of targets(text)) {
    if (!OTHER_PATTERN.test(target)) {
      collected.add(target);
    }
    yield;
  }
  return collected;
}

function* targets(text: string): Generator<string> {
  // Most pages contain only one kind of target.
  if (text.includes('](')) {
    yield* written(text, LINK_PATTERN);
  }
  if (text.includes(']:')) {
    yield* written(text, DEFINITION_PATTERN);
  }
  if (!text.includes('="') && !text.includes("='")) {
    return;
  }
  yield* written(text, ATTRIBUTE_PATTERN);
  for (const set of text.includes('srcset=') ? written(text, IMAGE_SET_PATTERN) : []) {
    // A set is either one URL that contains spaces, or several URLs, each followed by a size.
    yield set;
    for (const candidate of set.split(',')) {
      yield candidate.trim().split(/\s/, 1)[0] ?? '';
    }
  }
}

function* written(text: string, pattern: RegExp): Generator<string> {
  for (const [, one, other] of text.matchAll(pattern)) {
    yield one ?? other ?? '';
  }
}

function describe({ path, oid, size }: RepositoryFile, content: Uint8Array | undefined): ImportedFile {
  const dimensions = content && imageDimensions(content);
  return {
    name: posix.basename(path),
    contentType: mimeTypes.lookup(path) || 'application/octet-stream',
    size,
    ...(dimensions && { dimensions }),
    git: { oid, path },
  };
}

/** Returns the displayed dimensions of an image; undefined for other content. */
export function imageDimensions(content: Uint8Array): Dimensions | undefined {
  try {
    const isMarkup = MARKUP_START.test(Buffer.from(content.subarray(0, 64)).toString('utf8'));
    const {
      width,
      height,
      type = '',
      orientation = 1,
    } = imageSize(isMarkup ? content.subarray(0, MARKUP_BYTES) : content);
    if (!IMAGE_TYPES.has(type) || !isLength(width) || !isLength(height)) {
      return undefined;
    }
    // Exif orientations from 5 on rotate the image by 90 degrees.
    return orientation >= 5 ? { width: height, height: width } : { width, height };
  } catch {
    return undefined;
  }
}

function isLength(value: number): boolean {
  return Number.isFinite(value) && value > 0;
}
