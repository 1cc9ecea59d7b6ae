"""Keys for a cluster: certificates of its servers, keys of its members, files to begin with.

    authority  a private certificate authority, made by the program `openssl`
    nats       users, their rights, and the configuration of each NATS server
    postgres   a role, its password, and the lines for PostgreSQL's configuration
    bundle     the folder with all of it, one subfolder for each machine

`lycosa cluster keys` writes the folder; `lycosa cluster up` uses the same files for its servers.
"""
