"""
Runs OpenStack Swift with its S3 API in one process, without services of the system:

    storage_server.py FOLDER PORT USER SECRET

Prints the port that it listens on, and ends with its standard input.
"""

import os
import sys
from array import array

import eventlet
import eventlet.tpool
import eventlet.wsgi

eventlet.patcher.monkey_patch(all=False, socket=True, select=True, thread=True)

FOLDER, PORT, USER, SECRET = sys.argv[1:]


def write(name, text):
    path = os.path.join(FOLDER, name)
    with open(path, "w") as file:
        file.write(text)
    return path


from swift.common import utils

utils.SWIFT_CONF_FILE = write("swift.conf", "[swift-hash]\nswift_hash_path_suffix = test\n")
utils.HASH_PATH_SUFFIX = b"test"

from swift.account.server import AccountController
from swift.common.ring import RingData
from swift.common.wsgi import loadapp
from swift.container.server import ContainerController
from swift.obj.server import ObjectController


class Cache(dict):
    """Stands in for memcached."""

    def __bool__(self):
        return True

    def get(self, key, **_):
        return dict.get(self, key)

    def set(self, key, value, **_):
        self[key] = value

    def incr(self, key, delta=1, **_):
        self[key] = int(dict.get(self, key, 0)) + delta
        return self[key]

    def delete(self, key, **_):
        self.pop(key, None)


def serve(app, port=0):
    listener = eventlet.listen(("127.0.0.1", port))
    pool = eventlet.GreenPool(256)
    eventlet.spawn(eventlet.wsgi.server, listener, app, open(os.devnull, "w"), custom_pool=pool)
    return listener.getsockname()[1]


# One disk, and a ring of one partition for each kind of server.
CONFIGURATION = {
    "devices": os.path.join(FOLDER, "devices"),
    "swift_dir": FOLDER,
    "mount_check": "false",
    "fallocate_reserve": "0",
}
os.makedirs(os.path.join(CONFIGURATION["devices"], "disk"), exist_ok=True)
SERVERS = {"account": AccountController, "container": ContainerController, "object": ObjectController}
for name, controller in SERVERS.items():
    port = serve(controller(CONFIGURATION))
    device = {"id": 0, "region": 1, "zone": 1, "weight": 1.0, "device": "disk"}
    device.update(ip="127.0.0.1", port=port, replication_ip="127.0.0.1", replication_port=port)
    RingData([array("H", [0])], [device], 32).save(os.path.join(FOLDER, f"{name}.ring.gz"))

FILTERS = "catch_errors gatekeeper listing_formats s3api tempauth slo"
swift = loadapp(
    write(
        "proxy-server.conf",
        f"""
[DEFAULT]
swift_dir = {FOLDER}
[pipeline:main]
pipeline = {FILTERS} proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
"""
        + "".join(f"[filter:{name}]\nuse = egg:swift#{name}\n" for name in FILTERS.split() if name != "tempauth")
        + f"[filter:tempauth]\nuse = egg:swift#tempauth\nuser_{USER.replace(':', '_')} = {SECRET} .admin\n",
    )
)
cache = Cache()


def cached(environment, respond):
    environment["swift.cache"] = cache
    return swift(environment, respond)


print(serve(cached, int(PORT)), flush=True)
eventlet.tpool.execute(sys.stdin.read)
