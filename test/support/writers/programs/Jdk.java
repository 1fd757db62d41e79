import java.io.*;
import java.nio.file.*;
import java.util.stream.*;
import java.util.zip.*;

class Jdk {
  public static void main(String[] args) throws IOException {
    try (var archive = new ZipOutputStream(new FileOutputStream(args[0])); var paths = Files.walk(Path.of(""))) {
      for (Path path : paths.filter(Files::isRegularFile).collect(Collectors.toList())) {
        archive.putNextEntry(new ZipEntry(path.toString()));
        Files.copy(path, archive);
        archive.closeEntry();
      }
    }
  }
}
