//! Recognises files that hold credentials, by name.
//!
//! Such files never enter a model's window, however well they score. Templates of them, made to be shared, are.

use std::ffi::OsStr;
use std::path::Path;

/// Endings of files that show what another file should hold.
const TEMPLATES: &[&str] = &[
    "*.example",
    "*.sample",
    "*.template",
    "*.tmpl",
    "*.dist",
    "example.env",
    "sample.env",
    "template.env",
];

/// File names, or directory and file name, in lower case, with why they are
/// denied. A `*` stands for any part of a name.
const ROWS: &[(&str, &[&str])] = &[
    ("environment variables", &[".env", ".env.*", "*.env", ".envrc", "local.settings.json"]),
    (
        "private key",
        &[
            "id_rsa",
            "id_dsa",
            "id_ecdsa",
            "id_ecdsa_sk",
            "id_ed25519",
            "id_ed25519_sk",
            "*.pem",
            "*.key",
            "*.ppk",
            "*.p8",
            "*.p12",
            "*.pfx",
            "*.jks",
            "*.bks",
            "*.keystore",
            "*.ovpn",
            "*.agekey",
            "secring.gpg",
            "wallet.dat",
        ],
    ),
    (
        "credentials",
        &[
            "credentials",
            "credentials.json",
            ".credentials.json",
            "credentials.db",
            "access_tokens.db",
            "client_secret*.json",
            "service-account*.json",
            "service_account*.json",
            "serviceaccount*.json",
            "*firebase-adminsdk*.json",
            "application_default_credentials.json",
            ".azure/accesstokens.json",
            ".cargo/credentials.toml",
            ".codex/auth.json",
            ".composer/auth.json",
            ".boto",
            ".s3cfg",
            "rclone.conf",
            ".sentryclirc",
            "key.properties",
            "keystore.properties",
        ],
    ),
    (
        "login of a registry or host",
        &[
            ".docker/config.json",
            ".dockercfg",
            ".dockerconfigjson",
            ".npmrc",
            ".pypirc",
            ".netrc",
            "_netrc",
            "gh/hosts.yml",
            ".terraformrc",
            "terraform.rc",
            "credentials.tfrc.json",
            ".vault-token",
        ],
    ),
    ("configuration of a cluster", &[".kube/config", "kubeconfig", "*.kubeconfig"]),
    ("configuration of git, which may hold tokens", &[".git/config", ".git-credentials"]),
    (
        "passwords",
        &[
            ".htpasswd",
            ".pgpass",
            ".my.cnf",
            ".mylogin.cnf",
            ".vault_pass*",
            ".vault-pass*",
            "etc/shadow",
            "*.kdb",
            "*.kdbx",
            "*.keychain",
            "*.keychain-db",
            "logins.json",
            "key3.db",
            "key4.db",
        ],
    ),
    (
        "secrets",
        &[
            "secrets.yml",
            "secrets.yaml",
            "secrets.json",
            "secrets.toml",
            "secrets.*.yml",
            "secrets.*.yaml",
            "secret.yml",
            "secret.yaml",
        ],
    ),
    ("state of terraform, which holds secrets in plain text", &["*.tfstate", "*.tfstate.*"]),
    (
        "history of a shell",
        &[".bash_history", ".zsh_history", ".psql_history", ".mysql_history", ".rediscli_history"],
    ),
];

/// Returns what a file holds that must not be shown, judged by its name.
///
/// Case does not matter, nor how deep the file lies. The file is not looked at;
/// what is named explicitly is for the caller to let through.
///
/// ```
/// use loadline::repo::denied;
/// assert_eq!(denied("app/.env.local".as_ref()), Some("environment variables"));
/// assert_eq!(denied("app/.env.example".as_ref()), None);
/// ```
pub fn denied(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.as_encoded_bytes();
    let parent = path.parent().and_then(Path::file_name);
    let is_template = TEMPLATES.iter().any(|pattern| fits(pattern.as_bytes(), name));
    let holds = |patterns: &[&str]| patterns.iter().any(|row| row_fits(row, parent, name));
    let row = ROWS.iter().find(|(_, patterns)| holds(patterns));
    row.filter(|_| !is_template).map(|(why, _)| *why)
}

fn row_fits(row: &str, parent: Option<&OsStr>, name: &[u8]) -> bool {
    match row.split_once('/') {
        Some((directory, file)) => {
            let parent = parent.map(OsStr::as_encoded_bytes);
            let inside =
                parent.is_some_and(|parent| parent.eq_ignore_ascii_case(directory.as_bytes()));
            inside && fits(file.as_bytes(), name)
        }
        None => fits(row.as_bytes(), name),
    }
}

/// Tells whether a name fits a pattern with any number of `*`.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let mut parts = pattern.split(|byte| *byte == b'*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = strip_prefix(name, first) else {
        return false;
    };
    let Some(last) = parts.next_back() else {
        return rest.is_empty();
    };
    for part in parts {
        let found = (0..=rest.len()).find_map(|start| strip_prefix(&rest[start..], part));
        match found {
            Some(behind) => rest = behind,
            None => return false,
        }
    }
    let tail = rest.len().checked_sub(last.len());
    tail.is_some_and(|tail| rest[tail..].eq_ignore_ascii_case(last))
}

fn strip_prefix<'a>(name: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
    let (start, rest) = name.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DENIED: &str = ".env a/b/.ENV.production prod.env .git/config sub/.git/config id_rsa \
        keys/ID_ED25519 server.pem tls/private.key cert.p12 cert.PFX app.jks \
        debug.keystore credentials.json service-account-prod.json \
        app-firebase-adminsdk-1a2b.json .npmrc .pypirc .netrc .htpasswd .aws/credentials \
        .docker/config.json home/.kube/config terraform.tfstate terraform.tfstate.backup \
        passwords.kdbx config/secrets.yml k8s/Secrets.yaml";
    const OTHERS: &str = ".. .env.example .env.local.sample env/.env.template credentials.json.example \
        example.env environment.rs .environment id_rsa.pub config config.json \
        docker/config.json .git/config.rs src/keys.rs monkey credentials.rs secrets.rs \
        secrets/mod.rs tfstate service-account.md";

    #[test]
    fn f077_files_with_credentials_are_denied_and_others_are_not() {
        for path in DENIED.split_whitespace() {
            assert!(denied(Path::new(path)).is_some(), "{path}");
        }
        for path in OTHERS.split_whitespace().chain([""]) {
            assert_eq!(denied(Path::new(path)), None, "{path}");
        }
    }

    #[test]
    fn every_row_denies_itself() {
        for (why, patterns) in ROWS {
            for pattern in *patterns {
                assert_eq!(pattern.to_lowercase(), *pattern);
                let path = pattern.replace('*', "x");
                assert_eq!(denied(Path::new(&path)), Some(*why), "{pattern}");
                let deep = format!("a/b/{}", path.to_uppercase());
                assert_eq!(denied(Path::new(&deep)), Some(*why), "{pattern}");
            }
        }
    }
}
