/** A page with every block, in Latin, Arabic and Japanese, and the targets of its references. */

import type { RenderTarget } from '../../../server/content/html/options.ts';
import type { IncludedText } from '../../../server/content/html/page.ts';

export const EVERY_BLOCK = `Boats need *care*, **attention**, ~~luck~~ and \`rope\`. Press <kbd>Ctrl</kbd>+<kbd>K</kbd>, water is H<sub>2</sub>O, and areas are in m<sup>2</sup>. Some words are <mark style="color:red;">red</mark>, <mark style="background-color:#fff3b0;">marked</mark> or <mark style="color:$primary;">important</mark> :rocket: <i class="fa-anchor" style="color:#2f6fdd;">:anchor:</i>. See [the ports](ports.md), [elsewhere](https://example.com/docs) or [below](#Arabic-text).

# Prepare the boat

A [short note](#user-content-fn-1)[^1] explains terms. Ask <a data-mention href="ports.md">ports.md</a> for a berth. The mass is $$E = mc^2$$ here.

[^1]: A *berth* is a place to moor. See [the ports](ports.md).

<a href="ports.md" class="button primary" data-icon="rocket">Get started</a> <a href="https://example.com" class="button secondary">Read the manual</a>

* Hull
* Sails
  * Main sail
  * Jib
* Ropes

3. Untie
4. Push off
5. Steer

- [x] Life jackets are aboard
- [ ] The weather was checked

> The sea, once it casts its spell, holds one in its net of wonder forever.

***

## Hints

{% hint style="info" %}
Boats float. See [the ports](ports.md) and \`depth\`.
{% endhint %}

{% hint style="success" %}
The harbor is open.
{% endhint %}

{% hint style="warning" %}
Waves are high today.
{% endhint %}

{% hint style="danger" icon="fire" %}
Do not light fires on board.
{% endhint %}

## Images and files

<figure><img src="boat.png" alt="A boat at sea" width="60%"><figcaption>A boat, in the morning</figcaption></figure>

<picture><source srcset="dark.png" media="(prefers-color-scheme: dark)"><img src="light.png" alt="A chart" width="320"></picture>

An icon <img src="boat.png" alt="small boat" data-size="line"> in a line.

{% file src="manual.pdf" %}
The manual
{% endfile %}

<img src="plan.svg" alt="" class="gitbook-drawing">

{% embed url="https://www.youtube.com/watch?v=abc" %}
A film about boats
{% endembed %}

{% content-ref url="ports.md" %}
[ports.md](ports.md)
{% endcontent-ref %}

## Code and formulas

{% code title="src/boat.ts" lineNumbers="true" %}
\`\`\`typescript
// Sails with the wind.
export async function sail(boat: Boat, speed = 12): Promise<string> {
  const wind = await fetch(\`/wind/\${boat.id}\`);
  return wind.ok ? 'sailing' : "waiting";
}
\`\`\`
{% endcode %}

\`\`\`bash
npm install boats --save-exact
curl -s "https://api.example.com/boats?limit=10" | jq '.items[].name' # a long line that scrolls in a narrow window
\`\`\`

{% code overflow="wrap" %}
\`\`\`json
{ "name": "Aurora", "length": 12.5, "sails": ["main", "jib"], "moored": false, "owner": null, "notes": "this line is long and wraps" }
\`\`\`
{% endcode %}

\`\`\`diff
- const knots = 10;
+ const knots = 12;
\`\`\`

$$
\\int_{-\\infty}^{\\infty} e^{-x^2}\\,dx = \\sqrt{\\pi} \\qquad \\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}
$$

## Containers

<details>
<summary>Which boats may enter?</summary>

All boats up to **12 meters**.
</details>

{% tabs %}
{% tab title="Sail" icon="wind" %}
Set the sails.

\`\`\`python
def sail(boat):
    return boat.speed * 2
\`\`\`
{% endtab %}
{% tab title="Motor" %}
Start the motor.
{% endtab %}
{% endtabs %}

{% stepper %}
{% step %}
### Untie the boat

Start at the bow.
{% endstep %}
{% step %}
### Set the sails

Then watch the wind.
{% endstep %}
{% endstepper %}

{% columns %}
{% column width="60%" %}
The left column is wider than the right one.
{% endcolumn %}
{% column %}
The right column.
{% endcolumn %}
{% endcolumns %}

{% updates %}
{% update date="2026-03-14" tags="feature,api" %}
## Faster boats

Boats are twice as fast.
{% endupdate %}
{% update date="2026-02-01" %}
Fixed a leak.
{% endupdate %}
{% endupdates %}

{% prompt description="Plan a trip" %}
Plan a trip of three days from the harbor.
{% endprompt %}

{% include "reusable.md" %}

{% @mermaid/diagram content="graph TD" %}

## Tables

| Boat | Length | Crew |
| - | -: | :-: |
| Aurora | 12.5 | 4 |
| \`Borealis\` | 9 | [two](ports.md) |

<table><thead><tr><th width="120">Flag</th><th data-type="checkbox">Default</th><th data-type="select">Kind<select><option value="o1" label="Stable" color="green"></option><option value="o2" label="Beta" color="#e66a00"></option></select></th></tr></thead><tbody><tr><td><code>--dry-run</code></td><td>true</td><td><span data-option="o1">Stable</span></td></tr><tr><td><code>--force</code></td><td>false</td><td><span data-option="o2">Beta</span></td></tr></tbody></table>

<table data-view="cards"><thead><tr><th></th><th></th><th data-hidden data-card-target data-type="content-ref"></th><th data-hidden data-card-cover data-type="image">Cover</th></tr></thead><tbody><tr><td><strong>Boats</strong></td><td>Everything that <em>floats</em></td><td><a href="ports.md">ports.md</a></td><td><a href="boat.png">boat.png</a></td></tr><tr><td><i class="fa-anchor">:anchor:</i> <strong>Ports</strong></td><td>Where to moor.</td><td><a href="ports.md">ports.md</a></td><td></td></tr><tr><td><strong>Harbor masters</strong></td><td>Whom to call.</td><td></td><td></td></tr></tbody></table>

## List boats

\`GET /boats/{id}\`

**Parameters**

| Name | In | Type | Description |
| - | - | - | - |
| \`id\` (required) | path | string | ID of the boat. |
| \`limit\` | query | integer | Maximum number of results. |

**Responses**

| Status | Description | Body |
| - | - | - |
| \`200\` | The boat. | \`Boat\` |
| \`404\` | No such boat. | \`Error\` |

\`DELETE /boats/{id}\`

{% openapi-operation spec="boats" path="/boats" method="post" %}
[OpenAPI boats](https://example.com/boats.json)
{% endopenapi-operation %}

## Arabic text

نص عربي مع كلمة English في الوسط، و**كلمات مهمة** و\`code\`.

### العنوان الفرعي

* قارب
* ميناء

{% hint style="warning" %}
الأمواج عالية اليوم.
{% endhint %}

> البحر واسع.

## 日本語の文章

船は海に浮かびます。**大切な言葉**と\`コード\`があります。[港](ports.md)を見てください。

1. 出航の準備
2. 帆を上げる

<video src="unknown.mp4"></video>
`;

const image = (url: string, width: number, height: number): RenderTarget => ({
  kind: 'file',
  title: url.slice(1),
  url,
  contentType: 'image/png',
  width,
  height,
});

export const EVERY_TARGET: ReadonlyMap<string, RenderTarget> = new Map<string, RenderTarget>([
  [
    'ports.md',
    { kind: 'page', title: 'Ports', url: '/guide/ports', description: 'Where to moor', icon: 'anchor' },
  ],
  ['boat.png', image('/boat.png', 1200, 675)],
  ['light.png', image('/light.png', 640, 360)],
  ['dark.png', image('/dark.png', 640, 360)],
  [
    'manual.pdf',
    {
      kind: 'file',
      title: 'manual.pdf',
      url: '/manual.pdf',
      bytes: 2_411_000,
      contentType: 'application/pdf',
    },
  ],
  ['plan.svg', { ...image('/plan.svg', 400, 120), contentType: 'image/svg+xml' }],
  [
    'https://www.youtube.com/watch?v=abc',
    { kind: 'url', title: 'Boats: a film', url: 'https://www.youtube.com/watch?v=abc' },
  ],
  ['reusable.md', { kind: 'reusable-content', title: 'Support', included: 'support' }],
  ['openapi:boats', { kind: 'openapi', title: 'Boats API', url: '/api' }],
]);

export const EVERY_INCLUDED: ReadonlyMap<string, IncludedText> = new Map([
  [
    'support',
    {
      markdown: 'Support is [in the harbor](harbor.md).',
      targets: new Map<string, RenderTarget>([
        ['harbor.md', { kind: 'page', title: 'Harbor', url: '/harbor' }],
      ]),
    },
  ],
]);
