package respmark.clients;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import respmark.contract.Trial.Tls;
import respmark.errors.InvalidInput;

/** The trial's PEM files in the form that Java's TLS takes. */
public final class Pem {
    private static final char[] NO_PASSWORD = {};

    private Pem() {}

    /** The authorities whose certificates are trusted; null for the JDK's own list. */
    public static TrustManagerFactory trust(Tls tls) {
        if (tls.caFile() == null) {
            return null;
        }
        try {
            KeyStore store = emptyStore();
            int number = 0;
            for (Certificate certificate : certificates(tls.caFile())) {
                store.setCertificateEntry("ca-" + number++, certificate);
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            return factory;
        } catch (GeneralSecurityException | IOException error) {
            throw unreadable("ca_file", tls.caFile(), error);
        }
    }

    /** The client's own certificate and key; null if it has none. */
    public static KeyManagerFactory identity(Tls tls) {
        if (tls.certificateFile() == null) {
            return null;
        }
        try {
            KeyStore store = emptyStore();
            String keyFile = tls.keyFile() == null ? tls.certificateFile() : tls.keyFile();
            Certificate[] chain = certificates(tls.certificateFile()).toArray(new Certificate[0]);
            store.setKeyEntry("client", privateKey(keyFile), NO_PASSWORD, chain);
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, NO_PASSWORD);
            return factory;
        } catch (GeneralSecurityException | IOException | IllegalArgumentException error) {
            throw unreadable("certificate_file and key_file", tls.certificateFile(), error);
        }
    }

    /** Both as a context; without `verify`, every certificate is accepted. */
    public static SSLContext context(Tls tls) {
        KeyManagerFactory identity = identity(tls);
        TrustManagerFactory trust = trust(tls);
        TrustManager[] trusted = trust == null ? null : trust.getTrustManagers();
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    identity == null ? null : identity.getKeyManagers(),
                    tls.verify() ? trusted : new TrustManager[] {new Credulous()},
                    null);
            return context;
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException(error);
        }
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, NO_PASSWORD);
        return store;
    }

    private static Collection<? extends Certificate> certificates(String path)
            throws GeneralSecurityException, IOException {
        try (InputStream file = Files.newInputStream(Path.of(path))) {
            return CertificateFactory.getInstance("X.509").generateCertificates(file);
        }
    }

    private static PrivateKey privateKey(String path) throws GeneralSecurityException, IOException {
        String text = Files.readString(Path.of(path));
        String body = text.replaceAll("(?s).*-----BEGIN PRIVATE KEY-----(.*)-----END PRIVATE KEY-----.*", "$1");
        PKCS8EncodedKeySpec spec =
                new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(body));
        for (String algorithm : List.of("RSA", "EC", "Ed25519")) {
            Optional<PrivateKey> key = privateKey(algorithm, spec);
            if (key.isPresent()) {
                return key.get();
            }
        }
        throw new InvalidKeySpecException("it holds no PKCS #8 key of RSA, EC or Ed25519");
    }

    /** Only reading the key shows whether it is of this algorithm; empty if it is not. */
    private static Optional<PrivateKey> privateKey(String algorithm, PKCS8EncodedKeySpec spec)
            throws GeneralSecurityException {
        try {
            return Optional.of(KeyFactory.getInstance(algorithm).generatePrivate(spec));
        } catch (InvalidKeySpecException error) {
            return Optional.empty();
        }
    }

    private static InvalidInput unreadable(String field, String path, Exception error) {
        return new InvalidInput(
                "trial.target.tls.%s cannot be used (%s: %s): give PEM files"
                        .formatted(field, path, error.getMessage()),
                error);
    }

    /** Accepts every certificate, as `verify = false` asks. */
    private static final class Credulous extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
