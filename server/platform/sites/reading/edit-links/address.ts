import type { SpaceGit } from '../../../../database/schema/spaces/spaces.ts';
import { encodeSegments } from '../../../spaces/publications/urls.ts';

/** What the edit link of a page depends on. */
type GitSource = Pick<SpaceGit, 'url' | 'ref' | 'installationProvider' | 'treeURL'>;

/**
 * Returns the address for editing the source of a page: in the tree of the repository that the import named, on any
 * host, otherwise on the host of the repository; undefined if the provider of that host is unknown.
 */
export function editHref(git: GitSource | null, path: string | undefined): string | undefined {
  if (!git || path === undefined) {
    return undefined;
  }
  const file = encodeSegments(path.split('/'));
  const tree = URL.parse(git.treeURL ?? '');
  return tree && isWeb(tree) ? inTree(tree, path, file) : inRepository(git, file);
}

const isWeb = ({ protocol }: URL): boolean => protocol === 'https:' || protocol === 'http:';

/** Names of the pages of a host that show a tree or a file. */
const SHOWN: ReadonlySet<string | undefined> = new Set(['blob', 'tree', 'raw', 'blame', 'edit']);
const GITEA_SHOWN: ReadonlySet<string | undefined> = new Set(['src', 'raw']);
const GITEA_REFS: ReadonlySet<string | undefined> = new Set(['branch', 'tag']);

/** Returns the address of a file in a tree, in the editor of its host if that is known. */
function inTree(tree: URL, path: string, file: string): string {
  const url = new URL(tree);
  url.hash = '';
  if (url.pathname.includes('/_git/')) {
    // Azure DevOps: the path is a parameter, from the root of the repository.
    const folder = (url.searchParams.get('path') ?? '').split('/').filter((part) => part !== '');
    url.searchParams.set('path', ['', ...folder, path].join('/'));
    return url.href.replaceAll('+', '%20');
  }
  const parts = url.pathname.split('/').filter((part) => part !== '');
  const [owner = '', , shown, kind] = parts;
  const group = parts.indexOf('-');
  if (group !== -1 && SHOWN.has(parts[group + 1])) {
    // GitLab, with nested groups.
    parts[group + 1] = 'edit';
  } else if (GITEA_SHOWN.has(shown) && GITEA_REFS.has(kind)) {
    // Gitea and Forgejo.
    parts.splice(2, 2, '_edit');
  } else if (SHOWN.has(shown) && !owner.startsWith('~')) {
    // GitHub, GitHub Enterprise Server and Gitee. SourceHut (owners start with a tilde) has no editor.
    parts[2] = 'edit';
  } else if (url.hostname === 'bitbucket.org' && shown === 'src') {
    url.searchParams.set('mode', 'edit');
  }
  url.pathname = ['', ...parts].join('/') + file;
  return url.href;
}

function inRepository({ url, ref, installationProvider }: GitSource, file: string): string | undefined {
  const parsed = URL.parse(url);
  if (!parsed || !isWeb(parsed)) {
    return undefined;
  }
  const branch = encodeSegments(ref.replace(/^refs\/heads\//, '').split('/'));
  const repository = url.replace(/\.git$|\/+$/g, '');
  if (installationProvider === 'gitlab' || /(^|\.)gitlab\./.test(parsed.hostname)) {
    return `${repository}/-/edit${branch}${file}`;
  }
  return installationProvider !== null || parsed.hostname === 'github.com'
    ? `${repository}/edit${branch}${file}`
    : undefined;
}
