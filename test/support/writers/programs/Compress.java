import java.io.*;
import java.nio.file.*;
import java.util.stream.*;
import org.apache.commons.compress.archivers.zip.*;

// Names in ASCII, with a Unicode path field beside them.
class Compress {
  public static void main(String[] args) throws IOException {
    try (var archive = new ZipArchiveOutputStream(new File(args[0])); var paths = Files.walk(Path.of(""))) {
      archive.setEncoding("US-ASCII");
      archive.setUseLanguageEncodingFlag(false);
      archive.setCreateUnicodeExtraFields(ZipArchiveOutputStream.UnicodeExtraFieldPolicy.NOT_ENCODEABLE);
      for (Path path : paths.filter(Files::isRegularFile).collect(Collectors.toList())) {
        archive.putArchiveEntry(new ZipArchiveEntry(path.toFile(), path.toString()));
        Files.copy(path, archive);
        archive.closeArchiveEntry();
      }
    }
  }
}
